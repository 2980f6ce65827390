/** Returns the address of the page that renews the certificate of an organization. */
export const certificateAddress = ({
  company,
  id,
}: {
  readonly company: number;
  readonly id: string;
}): string => `/o365/organizations/certificate/${company}/${id}`;
