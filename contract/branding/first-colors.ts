/**
 * The colors that the first page needs, as `#rrggbb`: a file of their own, so that it loads no others.
 * A test compares them with `src/styles/tokens.css`.
 */
export const SIDE = { light: '#1b3256', dark: '#101825' } as const;

/** Marks on the sign-in, which is dark in both themes. */
export const DARK_MARKS = { failed: '#f4877d', warning: '#ddb54a' } as const;
