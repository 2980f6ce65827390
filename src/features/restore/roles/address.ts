export const ROLES_PATH = '/o365/restore-operator-roles';

/** The address at which the wizard edits a role. */
export const editAddress = ({
  id,
  organizationId,
}: {
  readonly id: string;
  readonly organizationId: string;
}): string =>
  `${ROLES_PATH}/1?${new URLSearchParams({ edit: id, organization: organizationId }).toString()}`;
