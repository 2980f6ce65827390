import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { anyId, PAGE, pageOf, words } from '../paging.ts';
import { ApplicationsSchema, COMPANY_FIELDS } from './company-fields.ts';

const person = v.object({ _id: v.string(), name: v.string(), username: v.string() });

/**
 * `n` is the company's number everywhere else. `users`: those whom it is named for (who sees all
 * companies is not listed).
 */
export const CompanySchema = v.object({
  _id: v.string(),
  n: v.number(),
  name: v.string(),
  applications: ApplicationsSchema,
  veeamId: v.nullable(v.string()),
  users: v.array(person),
  notify: v.array(person),
  madeAt: v.number(),
  /** How many jobs report for it, and by how many keys that are in use. */
  jobs: v.number(),
  keys: v.number(),
});
export type CompanyListed = v.InferOutput<typeof CompanySchema>;

/**
 * What goes with a company: its results leave every list, its keys end, its users see it no more.
 * The log keeps all of it.
 */
export const CompanyInFull = v.object({
  ...CompanySchema.entries,
  counts: v.object({ jobs: v.number(), runs: v.number(), users: v.number(), keys: v.number() }),
});

const fields = v.partial(v.strictObject(COMPANY_FIELDS)).entries;
const COMPANY_SORTS = ['name', '-name', 'madeAt', '-madeAt'] as const;
const QUERY = { search: words, sort: v.optional(v.picklist(COMPANY_SORTS)) };

export const companyCalls = {
  listCompanies: call({
    method: 'GET',
    path: 'companies',
    summary: 'The companies by name.',
    input: v.strictObject({}),
    output: v.array(CompanySchema),
    gate: 'common.companies',
    failures: [],
  }),
  reportCompanies: call({
    method: 'GET',
    path: 'monitoring/reporting/companies',
    summary: 'The same in pages, searched and in order.',
    input: v.strictObject({ ...QUERY, ...PAGE }),
    output: pageOf(CompanySchema),
    gate: 'common.companies',
    failures: [],
  }),
  getCompany: call({
    method: 'GET',
    path: 'companies/{id}',
    summary: 'One company, and what goes with it when it is deleted.',
    input: v.strictObject({ id: anyId }),
    output: CompanyInFull,
    gate: 'common.companies',
    failures: ['not-found'],
  }),
  createCompany: call({
    method: 'POST',
    path: 'companies',
    summary: 'Makes a company.',
    input: v.strictObject({ ...fields, name: COMPANY_FIELDS.name }),
    output: CompanySchema,
    gate: 'common.companies',
    failures: ['conflict', 'forbidden', 'not-found'],
  }),
  editCompany: call({
    method: 'PUT',
    path: 'companies/{id}',
    summary: 'Changes what is named of a company.',
    input: v.strictObject({ id: anyId, ...fields }),
    output: CompanySchema,
    gate: 'common.companies',
    failures: ['conflict', 'not-found', 'forbidden'],
  }),
  deleteCompany: call({
    method: 'DELETE',
    path: 'companies/{id}',
    summary: 'Deletes a company: its keys end and nobody sees it any more. Its log is kept.',
    input: v.strictObject({ id: anyId }),
    output: v.object({}),
    gate: 'common.companies',
    failures: ['not-found', 'forbidden', 'reauth_required'],
  }),
  companiesOfVac: call({
    method: 'GET',
    path: 'companies/vac',
    summary:
      'The companies that Veeam Service Provider Console has, and which of ours each is linked with.',
    input: v.strictObject({}),
    output: v.object({
      configured: v.boolean(),
      companies: v.array(
        v.object({ id: v.string(), name: v.string(), companyId: v.nullable(v.string()) }),
      ),
    }),
    gate: 'common.companies',
    failures: ['busy'],
  }),
  usersToNotify: call({
    method: 'GET',
    path: 'companies/{veeamId}/users-to-notify',
    summary: 'Who is told of a company, by its Veeam number or its own.',
    input: v.strictObject({ veeamId: v.pipe(v.string(), v.maxLength(LIMITS.nameChars)) }),
    output: v.object({
      users: v.array(v.object({ ...person.entries, email: v.nullable(v.string()) })),
    }),
    gate: 'common.companies',
    failures: ['not-found'],
  }),
  exportCompanies: call({
    method: 'POST',
    path: 'companies/export',
    summary: 'The companies as a CSV file.',
    input: v.strictObject(QUERY),
    output: 'bytes',
    gate: 'common.companies',
    failures: [],
  }),
} as const;
