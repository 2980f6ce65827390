import type { Ms } from '#contract/ids.ts';
import type { DemoTenant } from '../tenant/tenant.ts';
import { tenantPageMessages as t } from './messages.en.ts';

// What the pages of a demo tenant are made of.

export const BASE_PATH = '/demo/tenant';

export const MAX_SHOWN = 100;

/** A tenant of the demo and the provider whose organization it is. */
export interface ShownTenant {
  readonly n: number;
  readonly provider: string;
  readonly tenant: DemoTenant;
}

/** Without scripts or inline styles, to comply with the content security policy. */
export const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<link rel="stylesheet" href="${BASE_PATH}.css">
</head>
<body>
<header>
<h1>${escaped(title)}</h1>
<p>${t.intro}</p>
</header>
${body}
</body>
</html>
`;

export const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<div class="scroll"><table><thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead><tbody>${rows
    .map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
    .join('\n')}</tbody></table></div>`;

/** A button that changes something; its name says what, if its label is shared. */
export const action = (
  shown: ShownTenant,
  path: string,
  label: string,
  name: string | null = null,
): string =>
  `<form method="post" action="${escaped(`${BASE_PATH}/${shown.n}${path}`)}"><button${name === null ? '' : ` aria-label="${escaped(name)}"`}>${label}</button></form>`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');

export const time = (at: Ms): string => {
  const text = new Date(at).toISOString();
  return `<time datetime="${text}">${text.slice(0, 10)} ${text.slice(11, 16)} UTC</time>`;
};
