import { expect, test } from 'vitest';
import { cleanSvg } from '#server/features/branding/clean-svg.ts';

const NS = 'xmlns="http://www.w3.org/2000/svg"';
const inSvg = (inner: string, more = ''): string =>
  `<svg ${NS}${more} viewBox="0 0 10 10">${inner}<path d="M0 0h10"/></svg>`;

/** What must never be in what is kept. */
const HARM =
  /<(?:[\w-]+:)?(?:script|style|foreignObject|iframe|image|use|animate|set|a|object|embed|handler|listener|feImage|audio|video|link|meta)\b|\son\w+\s*=|javascript|vbscript|data:|:\/\/(?!www\.w3\.org\/2000\/svg")|@import|<!|<\?|href|style\s*=|src\s*=|url\((?!['"]?#|&quot;#)|xml:base|xmlns:/i;

const HOSTILE: readonly string[] = [
  inSvg('<script>alert(1)</script>'),
  inSvg('<script type="text/ecmascript"><![CDATA[alert(1)]]></script>'),
  inSvg('<SCRIPT>alert(1)</SCRIPT>'),
  inSvg('<script xlink:href="https://evil.example/x.js"/>'),
  inSvg('<script href="data:text/javascript,alert(1)"/>'),
  inSvg('', ' onload="alert(1)"'),
  inSvg('<g onclick="alert(1)"><path d="M0 0"/></g>'),
  inSvg('<path d="M0 0" ONMOUSEOVER="alert(1)"/>'),
  inSvg('<path d="M0 0" onfocus=alert(1) />'),
  inSvg(
    '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></body></foreignObject>',
  ),
  inSvg('<foreignobject><iframe src="javascript:alert(1)"></iframe></foreignobject>'),
  inSvg('<style>@import url(https://evil.example/x.css);</style>'),
  inSvg('<style>path{fill:url(https://evil.example/x)}</style>'),
  inSvg('<style><![CDATA[</style><script>alert(1)</script>]]></style>'),
  inSvg('<a href="javascript:alert(1)"><path d="M0 0h1"/></a>'),
  inSvg(
    '<a xlink:href="javascript:alert(1)" xmlns:xlink="http://www.w3.org/1999/xlink"><text>x</text></a>',
  ),
  inSvg('<a href="java&#115;cript:alert(1)"><text>x</text></a>'),
  inSvg('<image href="https://evil.example/x.png"/>'),
  inSvg('<image xlink:href="data:image/svg+xml;base64,PHN2Zz48L3N2Zz4="/>'),
  inSvg('<use href="https://evil.example/x.svg#a"/>'),
  inSvg('<use xlink:href="data:image/svg+xml,&lt;svg id=a onload=alert(1)&gt;#a"/>'),
  inSvg('<animate attributeName="href" values="javascript:alert(1)"/>'),
  inSvg('<set attributeName="onmouseover" to="alert(1)"/>'),
  inSvg('<animateTransform onbegin="alert(1)"/>'),
  inSvg('<path d="M0 0" style="background:url(https://evil.example)"/>'),
  inSvg('<path d="M0 0" style="behavior:url(x.htc)"/>'),
  inSvg('<path d="M0 0" fill="url(https://evil.example/x#y)"/>'),
  inSvg('<path d="M0 0" fill="u\\72l(https://evil.example)"/>'),
  inSvg('<path d="M0 0" filter="URL( //evil.example/f.svg#x )"/>'),
  inSvg('<path d="M0 0" mask="url(data:image/svg+xml,x)"/>'),
  inSvg('<filter id="f"><feImage href="https://evil.example/x"/></filter>'),
  inSvg('<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>'),
  inSvg('<g xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></g>'),
  inSvg('<handler xmlns:ev="http://www.w3.org/2001/xml-events" ev:event="load">alert(1)</handler>'),
  inSvg('<iframe src="https://evil.example"></iframe>'),
  inSvg('<embed src="x"/><object data="x"></object><video src="x"/>'),
  inSvg('<title><script>alert(1)</script></title>'),
  inSvg('<desc>&lt;script&gt;alert(1)&lt;/script&gt;</desc>'),
  inSvg('<text><![CDATA[<script>alert(1)</script>]]></text>'),
  inSvg('<!-- <script>alert(1)</script> --><!--[if IE]><script>alert(1)</script><![endif]-->'),
  `<?xml version="1.0"?><?xml-stylesheet href="https://evil.example/x.css"?>${inSvg('')}`,
  `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${inSvg('<text>&x;</text>')}`,
  `<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>${inSvg('<text>&b;</text>')}`,
  inSvg('<path d="M0 0" xml:base="javascript:alert(1)//"/>'),
  inSvg(
    '<link rel="stylesheet" href="https://evil.example/x.css"/><meta http-equiv="refresh" content="0"/>',
  ),
  inSvg('<g id="a"><script>alert(1)</g></script>'),
  inSvg('<path d="M0 0"/ onload=alert(1)>'),
  inSvg('<svg><svg onload="alert(1)"></svg></svg>'),
];

test('BRAND-3: over forty hostile images keep their shapes without anything that runs, loads or styles', () => {
  expect(HOSTILE.length).toBeGreaterThanOrEqual(40);
  for (const picture of HOSTILE) {
    const clean = cleanSvg(picture);
    expect([picture, clean === null]).toEqual([picture, false]);
    // Of text, only what could not be read as a tag is left.
    expect(clean?.replaceAll(/&lt;[^<]*?&gt;/g, '')).not.toMatch(HARM);
    expect(clean).toContain('M0 0h10');
    // Cleaned again it is the same: nothing comes together that was apart.
    expect(cleanSvg(clean ?? '')).toBe(clean);
  }
});

test('BRAND-3: a harmless image keeps its shapes, gradients, filters and text', () => {
  const logo = `<?xml version="1.0" encoding="UTF-8"?>\n${inSvg('<title>A &amp; B</title><defs><linearGradient id="g"><stop offset="0" stop-color="#fff"/></linearGradient><clipPath id="c"><circle r="4"/></clipPath></defs><g fill="url(#g)" clip-path="url(\'#c\')" transform="scale(2)"><rect width="4" height="4"/></g><text x="1" font-family="Inter">Daybook</text>', ' width="10" height="10"')}`;
  const clean = cleanSvg(logo) ?? '';
  for (const stored of [
    '<svg',
    'viewBox="0 0 10 10"',
    'A &amp; B',
    '<linearGradient id="g">',
    'stop-color="#fff"',
    '<clipPath id="c">',
    'fill="url(#g)"',
    'transform="scale(2)"',
    'font-family="Inter"',
    'Daybook',
  ])
    expect(clean).toContain(stored);
  expect(clean).toContain('xmlns="http://www.w3.org/2000/svg"');
});

test('BRAND-3: a file that is no image, or of which nothing is left, is refused', () => {
  for (const text of [
    '',
    'hello',
    '<html><body/></html>',
    '<svg>',
    `<svg ${NS}/>`,
    `<svg ${NS}><script>1</script></svg>`,
    '<script>1</script><svg/>',
    'x<svg><path d="M0"/></svg>',
    `<g><path d="M0"/></g>`,
  ])
    expect([text, cleanSvg(text)]).toEqual([text, null]);
});

test('BRAND-3: cleaning an image takes time proportional to its size, whatever is in it', () => {
  const begin = process.cpuUsage();
  for (const hurt of [
    '<!DOCTYPE',
    '<!DOCTYPE [',
    '<!DOCTYPE [] ',
    '<!',
    '<![CDATA[',
    '<',
    '<g>',
    '<g ',
    '</g>',
    '&',
    '&#',
    '<g id="url(',
    '<g a=',
    '"',
    '<g fill="url( ',
    '<?',
    '<!--',
  ]) {
    cleanSvg(hurt.repeat(200_000 / hurt.length));
    cleanSvg(inSvg(`<g fill="${hurt.repeat(100_000 / hurt.length).replaceAll('"', '')}"/>`));
  }
  expect(process.cpuUsage(begin).user / 1_000).toBeLessThan(10_000);
});
