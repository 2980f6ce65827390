/** Intuit's callback parameters, as in the address. */
export type Back =
  | {
      readonly kind: 'given';
      readonly code: string;
      readonly realmId: string;
      readonly state: string;
    }
  | { readonly kind: 'refused' };

/** Returns null if the address is not a callback. */
export function backIn(search: string): Back | null {
  const params = new URLSearchParams(search);
  const code = params.get('code');
  const realmId = params.get('realmId');
  const state = params.get('state');
  if (code !== null && realmId !== null && state !== null)
    return { kind: 'given', code, realmId, state };
  return params.has('error') ? { kind: 'refused' } : null;
}
