import axios from "axios";

// Sends a body of so many bytes so many times, with `fetch` or axios, and prints the statuses that it got.

const [client, url, key, bytes, times] = process.argv.slice(2);
const body = `{"input":{"a":"${"x".repeat(Number(bytes))}"}}`;
const headers = { authorization: key };

async function statusOf() {
  try {
    if (client === "axios")
      return (await axios.post(url, body, { headers, validateStatus: () => true })).status;
    const response = await fetch(url, { method: "POST", headers, body });
    await response.text();
    return response.status;
  } catch (error) {
    return error.cause?.code ?? error.code ?? String(error);
  }
}

const statuses = [];
for (let time = 0; time < Number(times); time++) statuses.push(await statusOf());
process.stdout.write(JSON.stringify(statuses));
