/** Numbers the values of a watch: `version` increases with every change. */
export function versioned(): <T extends object>(
  value: T | null,
) => (T & { readonly version: number }) | null {
  let version = 0;
  let last = '';
  return (value) => {
    if (value === null) return null;
    const text = JSON.stringify(value);
    if (text !== last) version += 1;
    last = text;
    return { ...value, version };
  };
}
