/** Returns the id of a user, company or row under its API name. */
export const getId = ({ _id: id }: { readonly _id: string }): string => id;

/** Returns whether an object has this id; undefined never has. */
export const isThe = (
  id: string | null,
  one: { readonly _id: string } | null | undefined,
): boolean => one != null && getId(one) === id;
