import * as v from 'valibot';
import { anyId, moment, words } from '../paging.ts';
import { REVIEW_STATES, RUN_STATES } from './query.ts';
import { ENTITY_GROUPS, JOB_TYPES, SOURCES } from './vocabulary.ts';

/** Maximum length of a report's period. */
export const MAX_REPORT_DAYS = 366;
/** Maximum number of rows of a page of results. */
export const RESULTS_PAGE = 1_000;

const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(4_294_967_295));
const some = <S extends v.GenericSchema>(one: S) =>
  v.optional(v.pipe(v.array(one), v.maxLength(1_000)));
const yesNo = v.optional(v.nullable(v.boolean()));

/**
 * Which jobs. A filter left out, empty or null means all. `companyIds`: companies by number, or by
 * the `_id` that lists return. `text`: searched in the names of job, computer and company.
 */
const JOB_FILTERS = {
  companyIds: some(v.union([whole, anyId])),
  source: some(v.picklist(SOURCES)),
  type: some(v.picklist(JOB_TYPES)),
  entityGroup: some(v.picklist(ENTITY_GROUPS)),
  managed: yesNo,
  jobInstanceUid: some(v.pipe(v.string(), v.maxLength(300))),
  text: words,
};
/**
 * Which of their results. `status`: includes `Missed` (did not run) and `Anomaly` (a success
 * outside the typical range). `state`: the review state. `ignored`: snoozed or not. `anomaly`
 * false: anomalies don't count as problems. `text` is also searched in the message.
 */
const RESULT_FILTERS = {
  ...JOB_FILTERS,
  status: some(v.picklist(RUN_STATES)),
  state: v.optional(v.nullable(v.picklist(REVIEW_STATES))),
  ignored: yesNo,
  anomaly: v.optional(v.boolean()),
};
export const resultFilters = v.strictObject(RESULT_FILTERS);
const jobFilters = v.strictObject(JOB_FILTERS);
export type JobFilters = v.InferOutput<typeof jobFilters>;
export type ResultFilters = v.InferOutput<typeof resultFilters>;

const inQuery = <S extends v.GenericSchema>(schema: S, says: string) =>
  v.optional(v.pipe(v.string(), v.maxLength(30_000), v.description(says), v.parseJson(), schema));

/** `from` inclusive, `to` exclusive. Without them, the most recent days including today. */
export const TIME = { from: v.optional(moment), to: v.optional(moment) };
/** The input of every report: a period, and the jobs as JSON in the query. */
export const OF_JOBS = {
  ...TIME,
  filters: inQuery(
    jobFilters,
    'JSON: {companyIds, source, type, entityGroup, jobInstanceUid: lists; managed: true, false or null; text}. A field left out means all.',
  ),
};
export const FILTERS = inQuery(
  resultFilters,
  'JSON: the fields of other reports, and {status: list; state: pending, snoozed, cleared or none; ignored, anomaly: true or false}. A field left out means all.',
);

const SORTED_BY = [
  'startTime',
  'durationSec',
  'bytesTransferred',
  'status',
  'jobName',
  'companyName',
  'computerName',
  'source',
  'type',
] as const;
export type SortedBy = (typeof SORTED_BY)[number];
export interface ResultSort {
  readonly by: SortedBy;
  readonly descending: boolean;
}

/**
 * For example `startTime:desc`. Equal rows are newest first; rows without a value are last in both
 * directions.
 */
export const SORT = v.optional(
  v.pipe(
    v.string(),
    v.regex(new RegExp(`^(?:${SORTED_BY.join('|')}):(?:asc|desc)$`)),
    v.transform((text): ResultSort => {
      const [by, way] = text.split(':');
      return { by: SORTED_BY.find((one) => one === by) ?? 'startTime', descending: way === 'desc' };
    }),
  ),
);

const number = (max: number) =>
  v.pipe(v.string(), v.regex(/^[1-9]\d{0,5}$/), v.transform(Number), v.maxValue(max));
export const RESULTS_PAGED = {
  page: v.optional(number(100_000)),
  pageSize: v.optional(number(RESULTS_PAGE)),
};
export const LIMIT = v.optional(number(100));
