import { escaped } from './tenant-page/html.ts';

/**
 * Returns a hosted page of a stand-in as HTML: without scripts, and without a field for a card. `intro`
 * and `body` are HTML.
 */
export const hostedPage = (title: string, intro: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<link rel="stylesheet" href="/demo/tenant.css">
</head>
<body>
<header><h1>${escaped(title)}</h1><p>${intro}</p></header>
<main>${body}</main>
</body>
</html>
`;
