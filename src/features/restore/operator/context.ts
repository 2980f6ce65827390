import { createContext, use } from 'react';
import type { OrganizationRow } from '#contract/backup/organizations.ts';

export type NamedOrganization = Pick<OrganizationRow, 'id' | 'name'> &
  Partial<Pick<OrganizationRow, 'engine'>>;

/** What a restore operator may do with the open organization; null: the user isn't here as one. */
export interface OperatorRights {
  readonly mayRead: boolean;
  readonly mayDownload: boolean;
  readonly needsSecondPerson: boolean;
}
export const OperatorContext = createContext<OperatorRights | null>(null);

export const useOperator = (): OperatorRights | null => use(OperatorContext);
