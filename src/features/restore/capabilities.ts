import { createContext, use } from 'react';
import { RESTORE_CAPABILITIES } from '#contract/engine/restore-capabilities.ts';
import type { RestoreCapabilities } from '#contract/engine/restore-capabilities.ts';
import { serverOrganizationMessages as t } from '../shared/organizations/messages.en.ts';

/** What can be done with the backups of the open organization. */
export const CapabilitiesContext = createContext<RestoreCapabilities>(
  RESTORE_CAPABILITIES.embedded,
);
export const useCapabilities = (): RestoreCapabilities => use(CapabilitiesContext);

/** The properties of a control that is disabled with the reason, unless its work can be done. */
export const getReason = (canDo: boolean) =>
  canDo ? {} : ({ 'disabled': true, 'data-tip': t.notOffered } as const);
