/** A request as code. */
export interface Snippets {
  readonly curl: string;
  readonly Python: string;
  readonly JavaScript: string;
}

/** The same request in curl, Python and JavaScript. The key comes from the environment. */
export function snippetsOf(endpoint: string, body: string): Snippets {
  const base = location.origin;
  const quoted = body.replaceAll("'", String.raw`'\''`);
  return {
    curl: [
      `curl ${base}/v2/${endpoint}/runsync \\`,
      '  -H "Authorization: Bearer $FOREBAY_KEY" \\',
      "  -H 'content-type: application/json' \\",
      `  -d '${quoted}'`,
    ].join("\n"),
    Python: [
      "import json, os, urllib.request",
      "",
      `body = json.loads(${JSON.stringify(body)})`,
      "request = urllib.request.Request(",
      `    "${base}/v2/${endpoint}/runsync",`,
      "    data=json.dumps(body).encode(),",
      "    headers={",
      '        "Authorization": f"Bearer {os.environ[\'FOREBAY_KEY\']}",',
      '        "content-type": "application/json",',
      "    },",
      ")",
      "print(json.load(urllib.request.urlopen(request)))",
    ].join("\n"),
    JavaScript: [
      `const url = "${base}/v2/${endpoint}/runsync";`,
      "const answer = await fetch(url, {",
      '  method: "POST",',
      "  headers: {",
      "    Authorization: `Bearer ${process.env.FOREBAY_KEY}`,",
      '    "content-type": "application/json",',
      "  },",
      `  body: ${JSON.stringify(body)},`,
      "});",
      "console.log(await answer.json());",
    ].join("\n"),
  };
}
