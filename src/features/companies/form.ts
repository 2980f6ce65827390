import { formatList } from '#contract/i18n/list.ts';
import type { InputOf } from '#contract/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { companyCalls } from '#contract/companies/calls.ts';
import type { CompanyListed } from '#contract/companies/calls.ts';
import type { Failure } from '#contract/errors.ts';
import { MESSAGES } from '#contract/messages.ts';
import { readServerErrors } from '#src/ui/form-errors.ts';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import type { FormRefusal } from '#src/ui/use-draft-form.ts';
import { companyMessages as t } from './messages.en.ts';

/** A company as typed. */
export interface CompanyDraft {
  readonly name: string;
  readonly veeamId: string;
  readonly vac: string;
  readonly vcd: string;
  readonly zerto: string;
  readonly office365: boolean;
  readonly organizations: readonly string[];
  readonly notify: readonly {
    readonly _id: string;
    readonly name: string;
    readonly username: string;
  }[];
}

export const getCompanyDraft = (company: CompanyListed | null): CompanyDraft => ({
  name: company?.name ?? '',
  veeamId: company?.veeamId ?? '',
  vac: company?.applications.vac.id ?? '',
  vcd: company?.applications.vcd.id ?? '',
  zerto: company?.applications.zerto.id ?? '',
  office365: company?.applications.office365.enabled ?? false,
  organizations: company?.applications.office365.organizations.map(({ id }) => id) ?? [],
  notify: company?.notify.map(({ _id, name, username }) => ({ _id, name, username })) ?? [],
});

const orNull = (text: string): string | null =>
  text.trim() === '' ? null : text.trim().slice(0, LIMITS.nameChars);

export const createCompanyInput = ({
  name,
  veeamId,
  vac,
  vcd,
  zerto,
  office365,
  organizations,
  notify,
}: CompanyDraft): InputOf<'createCompany'> => ({
  name: name.trim(),
  veeamId: orNull(veeamId),
  applications: {
    vac: { id: orNull(vac) },
    vcd: { id: orNull(vcd) },
    zerto: { id: orNull(zerto) },
    office365: { enabled: office365, organizations: organizations.map((id) => ({ id })) },
  },
  notify: notify.map(({ _id }) => _id),
});

/** Returns only the changed values. The applications are one field. */
export function getCompanyChanges(
  draft: CompanyDraft,
  company: CompanyListed,
): Omit<InputOf<'editCompany'>, 'id'> {
  const before: Readonly<Record<string, unknown>> = createCompanyInput(getCompanyDraft(company));
  return Object.fromEntries(
    Object.entries(createCompanyInput(draft)).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field]),
    ),
  );
}

export const companySchema = makeFormSchema(
  companyCalls.createCompany.input,
  (draft: CompanyDraft) => ({ value: createCompanyInput(draft) }),
  { name: t.nameMissing },
);

/** Returns why a company was not saved: at its name, or about the whole form. */
export const explainCompanyRefusal = (failure: Failure): FormRefusal =>
  failure.kind === 'conflict' && failure.message === MESSAGES.companyNameTaken
    ? { errors: { name: failure.message }, above: null }
    : readServerErrors(failure, {});

/** Returns the names of the external systems that the company is linked with. */
export function applicationWords({
  vac,
  vcd,
  zerto,
  office365,
}: CompanyListed['applications']): string {
  const words = [
    vac.id !== null && 'VSPC',
    vcd.id !== null && t.cloudDirector,
    zerto.id !== null && t.zerto,
    office365.enabled && t.microsoft365,
  ].filter((word) => word !== false);
  return words.length === 0 ? '–' : formatList(words, 'plain');
}
