import type { Ms } from '#contract/ids.ts';
import { deliveryMessages as t } from './messages.en.ts';

export interface StoredMail {
  readonly at: Ms;
  readonly provider: string;
  readonly kind: 'mail' | 'sms';
  readonly to: string;
  readonly subject: string | null;
  readonly text: string;
}

/** Without scripts or inline styles, to comply with the content security policy. */
export const outboxPage = (stored: readonly StoredMail[], now: Ms): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${t.title} (${stored.length})</title>
<link rel="stylesheet" href="/outbox.css">
</head>
<body>
<header>
<h1>${t.title}</h1>
<p>${t.intro}</p>
<p><a class="again" href="/outbox">${t.reload}</a> <span>${t.asOf({ time: time(now) })}</span></p>
</header>
<main>
${stored.length === 0 ? `<p>${t.empty}</p>` : `<ol>\n${stored.map(item).join('\n')}\n</ol>`}
</main>
</body>
</html>
`;

const item = ({ at, provider, kind, to, subject, text }: StoredMail): string => `<li><article>
<h2>${escaped(subject ?? t.textMessage)}</h2>
<dl><div><dt>${kind === 'mail' ? t.mailTo : t.smsTo}</dt><dd>${escaped(to)}</dd></div><div><dt>${t.from}</dt><dd>${escaped(provider)}</dd></div><div><dt>${t.written}</dt><dd>${time(at)}</dd></div></dl>
<p class="text">${linked(text)}</p>
</article></li>`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');
/**
 * Finds URLs before escaping the text between them. A URL ends before a character that needs
 * escaping.
 */
const linked = (text: string): string =>
  text
    .split(/(https?:\/\/[^\s<>"'&]+(?:&[^\s<>"'&]+)*)/g)
    .map((part, n) =>
      n % 2 === 1 ? `<a href="${escaped(part)}">${escaped(part)}</a>` : escaped(part),
    )
    .join('');
const time = (at: Ms): string => {
  const text = new Date(at).toISOString();
  return `<time datetime="${text}">${text.slice(0, 10)} ${text.slice(11, 19)} UTC</time>`;
};

export const OUTBOX_CSS = `:root { color-scheme: light dark; --line: light-dark(#d4d4d8, #3f3f46); --soft: light-dark(#52525b, #a1a1aa); --link: light-dark(#1d4ed8, #93c5fd); --paper: light-dark(#fff, #18181b); --ground: light-dark(#f4f4f5, #09090b); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 48rem; padding: 1.5rem 1rem 3rem; font: 1rem/1.5 system-ui, sans-serif; background: var(--ground); color: light-dark(#18181b, #fafafa); }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; }
h2 { font-size: 1.0625rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
header p { color: var(--soft); margin: 0 0 .75rem; }
a { color: var(--link); }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px; }
.again { display: inline-block; min-height: 2.75rem; padding: .625rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--paper); text-decoration: none; margin-right: .75rem; }
ol { list-style: none; margin: 0; padding: 0; display: grid; gap: .75rem; }
article { background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; }
dl { margin: 0 0 .75rem; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; font-size: .875rem; }
dl div { display: flex; gap: .375rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
time { white-space: nowrap; }
.text { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
`;
