/** Returns an address with its query; commas are not escaped. */
export const withQuery = (path: string, params: URLSearchParams): string => {
  const query = formatQuery(params);
  return query === '' ? path : `${path}?${query}`;
};
export const formatQuery = (params: URLSearchParams): string =>
  params.toString().replaceAll('%2C', ',');
