import type { MailBody } from './read-mail.ts';

/**
 * The policy of a preview (G64): it runs nothing and loads nothing. The sandbox takes its origin
 * away, also where it is opened on its own.
 */
export const PREVIEW_POLICY = [
  "default-src 'none'",
  'img-src data:',
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox',
].join('; ');

export type PreviewTheme = 'light' | 'dark' | null;

/**
 * Returns the document of a mail. HTML mails choose colors for a white page, so they get one in both
 * themes.
 */
export function mailPage({ kind, content }: MailBody, theme: PreviewTheme): string {
  const body =
    kind === 'html' ? `<main class="paper">${content}</main>` : `<pre>${escape(content)}</pre>`;
  return page(body, theme);
}

export const messagePage = (sentence: string, theme: PreviewTheme): string =>
  page(`<p class="note">${escape(sentence)}</p>`, theme);

const page = (body: string, theme: PreviewTheme): string => `<!doctype html>
<html${theme === null ? '' : ` data-theme="${theme}"`}>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer"><title>\u200B</title><style>${STYLE}</style></head>
<body>${body}</body>
</html>
`;

const DARK = 'color-scheme:dark;--page:#16181d;--text:#e6e8ec;--quiet:#9aa1ac';
const STYLE = `
:root{color-scheme:light;--page:#fff;--text:#1b1f26;--quiet:#5c6470}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${DARK}}}
:root[data-theme=dark]{${DARK}}
body{margin:0;background:var(--page);color:var(--text);font:14px/1.5 -apple-system,"Segoe UI",Roboto,"Helvetica Neue","Liberation Sans",Arial,sans-serif;overflow-wrap:anywhere}
pre{margin:0;padding:16px;font:13px/1.55 ui-monospace,monospace;white-space:pre-wrap}
.paper{color-scheme:light;background:#fff;color:#1b1f26;padding:16px;min-height:100vh;box-sizing:border-box;overflow-x:auto}
.paper img{max-width:100%;height:auto}
.paper pre{padding:0}
.paper table{max-width:100%}
.link{color:#1a56b0;text-decoration:underline}
.held{display:inline-block;min-width:16px;min-height:16px;border:1px dashed #b6bcc6;border-radius:3px;vertical-align:middle}
.note{padding:16px;margin:0;color:var(--quiet)}
`.trim();

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};
const escape = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (letter) => ENTITIES[letter] ?? '');
