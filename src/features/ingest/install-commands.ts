import type { Ms } from '#contract/ids.ts';
import type { Source } from '#contract/runs/vocabulary.ts';
import { sourceMessages as t } from './messages.en.ts';

/** Commands or configuration that make a tool report here, ready to copy. */
export interface Recipe {
  /** A sentence above it. */
  readonly description: string;
  readonly text: string;
  /** What to adapt, and further information. */
  readonly note: string;
  /** An alternative. */
  readonly also?: Recipe;
}

/**
 * `origin`: this site's. `now`: the time in examples. `job`: the name under which the results
 * appear. `secret`: the key in clear text.
 */
export interface RecipeAt {
  readonly origin: string;
  readonly secret: string;
  readonly job: string;
  readonly now: Ms;
}

export interface ToolChoice {
  readonly tool: Source;
  readonly label: string;
  readonly detail: string;
}

/** Tools with a recipe, in display order. */
export const TOOL_CHOICES: readonly ToolChoice[] = [
  { tool: 'restic', label: t.restic, detail: t.resticHint },
  { tool: 'borg', label: t.borg, detail: t.borgHint },
  { tool: 'borgmatic', label: t.borgmatic, detail: t.borgmaticHint },
  { tool: 'rclone', label: t.rclone, detail: t.rcloneHint },
  { tool: 'kopia', label: t.kopia, detail: t.kopiaHint },
  { tool: 'duplicati', label: t.duplicati, detail: t.duplicatiHint },
  { tool: 'bacula', label: t.bacula, detail: t.baculaHint },
  { tool: 'ping', label: t.ping, detail: t.pingHint },
  { tool: 'api', label: t.api, detail: t.apiHint },
];

export function getRecipe(tool: Source, at: RecipeAt): Recipe {
  switch (tool) {
    case 'restic':
      return {
        description: t.runBackup,
        text: script([
          `RESTIC_PROGRESS_FPS=0.1 restic backup --json /path/to/data >"$d/out" 2>&1 || rc=$?`,
          `LC_ALL=C sed '/"message_type":"status"/d' "$d/out" | tail -c 1000000 |`,
          ...post(at, 'restic', 'exit=$rc', HOST),
        ]),
        note: `${t.resticNote} ${t.cronNote}`,
        also: {
          description: t.addSnapshots,
          text: script([
            `restic snapshots --json --latest 1000 >"$d/out" || rc=$?`,
            ...postPacked(at, 'restic', HOST),
          ]),
          note: t.addSnapshotsNote,
        },
      };
    case 'borg':
      return {
        description: t.runBackup,
        text: script([
          `borg create --json /path/to/repo::'{now}' /path/to/data >"$d/out" 2>"$d/err" || rc=$?`,
          ...both(at, 'borg', 'exit=$rc', HOST, ZONE),
        ]),
        note: `${t.borgNote} ${t.cronNote}`,
        also: {
          description: t.addArchives,
          text: script([
            `borg list --json --last 1000 /path/to/repo >"$d/out" || rc=$?`,
            ...postPacked(at, 'borg', HOST, ZONE),
          ]),
          note: t.addArchivesNote,
        },
      };
    case 'borgmatic':
      return {
        description: t.borgmatic2,
        text: `healthchecks:\n    ping_url: ${yaml(pingUrl(at))}\n    send_logs: true\nmonitoring_verbosity: 1\n`,
        note: t.borgmatic2Note,
        also: {
          description: t.borgmatic1,
          text: `hooks:\n    healthchecks:\n        ping_url: ${yaml(pingUrl(at))}\n`,
          note: t.borgmatic1Note,
        },
      };
    case 'rclone':
      return {
        description: t.runCopy,
        text: script([
          `rclone sync /path/to/data remote:path --use-json-log --stats-log-level NOTICE >"$d/out" 2>&1 || rc=$?`,
          `tail -c 1000000 "$d/out" |`,
          ...post(at, 'rclone', 'exit=$rc', HOST),
        ]),
        note: `${t.rcloneNote} ${t.cronNote}`,
      };
    case 'kopia':
      return {
        description: t.runSnapshot,
        text: script([
          `kopia snapshot create --json --no-progress /path/to/data >"$d/out" 2>"$d/err" || rc=$?`,
          ...both(at, 'kopia', 'exit=$rc', HOST),
        ]),
        note: `${t.kopiaNote} ${t.cronNote}`,
      };
    case 'duplicati':
      return {
        description: t.setOption,
        text: `--send-http-json-urls=${at.origin}/api/v1/ingest/duplicati?access_token=${url(at.secret)}`,
        note: t.setOptionNote,
      };
    case 'bacula':
      return {
        description: t.baculaPostgres,
        text: catalog(at, [
          `psql -AtXq -U bacula bacula >"$d/out" <<'SQL' || rc=$?`,
          ...SQL_POSTGRES,
          'SQL',
        ]),
        note: `${t.baculaNote} ${t.cronNote}`,
        also: {
          description: t.baculaSqlite,
          text: catalog(at, [
            `sqlite3 -json /var/lib/bacula/bacula.db >"$d/out" <<'SQL' || rc=$?`,
            ...SQL_SQLITE,
            'SQL',
            `[ -s "$d/out" ] || echo '[]' >"$d/out"`,
          ]),
          note: t.baculaSqliteNote,
        },
      };
    case 'ping':
      return {
        description: t.runCommand,
        text: `( trap : INT TERM; P=${shell(pingUrl(at))}; log=$(mktemp); rc=0
curl -fsS -m 10 --retry 5 -o /dev/null "$P/start" || echo 'The start was not reported.' >&2
your-command >"$log" 2>&1 || rc=$?
tail -c 100000 "$log" |
  curl -fsS -m 10 --retry 5 --retry-connrefused -o /dev/null --data-binary @- "$P/$rc" ||
  echo 'The result was not reported.' >&2
rm -f "$log"; exit $rc )`,
        note: t.pingNote({ slug: getSlug(at.job) }),
        also: {
          description: t.wrapper,
          text: `[ -f daybook-run.mjs ] || curl -fsSo daybook-run.mjs ${shell(`${at.origin}/daybook-run.mjs`)}; DAYBOOK_URL=${shell(at.origin)} DAYBOOK_KEY=${shell(at.secret)} node daybook-run.mjs --job ${shell(at.job)} -- your-command`,
          note: t.wrapperNote,
        },
      };
    default:
      return {
        description: t.postResult,
        text: `curl -fsS --retry 3 -H ${shell(`Authorization: Bearer ${at.secret}`)} -H 'Content-Type: application/json' --data ${shell(JSON.stringify({ job: at.job, computer: 'server-1', status: 'Success', startTime: iso(at.now - 750_000), endTime: iso(at.now), bytesTransferred: 1_048_576 }))} ${shell(`${at.origin}/api/v1/ingest/executions`)}`,
        note: t.postResultNote,
      };
  }
}

/** Returns the job name as a URL slug: `SQL nightly, tier 1` becomes `sql-nightly-tier-1`. */
export function getSlug(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/-+$/, '');
  return slug === '' ? 'backup' : slug;
}

/** Quotes any text as one shell word. */
export const shell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const pingUrl = ({ origin, secret, job }: RecipeAt): string =>
  `${origin}/ping/${url(secret)}/${getSlug(job)}`;

const HOST = 'host=$(uname -n)';
/** The machine's UTC offset, with its plus sign escaped. */
const ZONE = "tz=$(date +%z | sed 's/+/%2B/')";

/**
 * A command and its report, for any POSIX shell. It runs in a subshell and leaves nothing behind:
 * Ctrl+C ends the command but not the report, and the exit code is the command's.
 */
const script = (lines: readonly string[]): string =>
  ['( trap : INT TERM; d=$(mktemp -d); rc=0', ...lines, 'rm -rf "$d"; exit $rc )'].join('\n');

/**
 * Sends all of standard output but only the end of standard error: a body is limited to 1 MB, and
 * the JSON must not be truncated.
 */
const both = (at: RecipeAt, tool: string, ...query: readonly string[]): string[] => [
  `{ tail -c 900000 "$d/err"; cat "$d/out"; } |`,
  ...post(at, tool, ...query),
];

type PostAt = Pick<RecipeAt, 'origin' | 'secret'> & { readonly job: string | null };

/**
 * The query is in double quotes so that the shell expands `$rc`. It must contain nothing else that
 * a shell interprets.
 */
const curl = (
  { origin, secret, job }: PostAt,
  tool: string,
  body: string,
  query: readonly string[],
  isPacked = false,
): string[] => [
  `  curl -fsS -m 60 --retry 5 --retry-connrefused -o /dev/null --data-binary @${body} \\`,
  `    -H ${shell(`Authorization: Bearer ${secret}`)}${isPacked ? ` -H 'Content-Encoding: gzip'` : ''} \\`,
  `    "${origin}/api/v1/ingest/${tool}?${[...(job === null ? [] : [`job=${url(job)}`]), ...query].join('&')}" ||`,
];
const post = (at: PostAt, tool: string, ...query: readonly string[]): string[] => [
  ...curl(at, tool, '-', query),
  `  echo 'The report was not sent.' >&2`,
];
/**
 * A list is JSON that must not be truncated. Compressed, it can have 4 MB instead of 1 MB. Without
 * a backup whose exit code counts, a failed report is a failure.
 */
const postPacked = (at: PostAt, tool: string, ...query: readonly string[]): string[] => [
  '[ $rc -ne 0 ] || gzip "$d/out" || rc=$?',
  '[ $rc -ne 0 ] ||',
  ...curl(at, tool, '"$d/out.gz"', query, true),
  `  { echo 'The report was not sent.' >&2; rc=1; }`,
];

/** Sends rows of a catalog if they could be read. */
const catalog = (at: RecipeAt, read: readonly string[]): string =>
  script([...read, ...postPacked({ ...at, job: null }, 'bacula', HOST, ZONE)]);

/**
 * The jobs that were due, ended or ran within a day. A body has at most 1,000 rows and 4 MB: about
 * 1 kB for each row, and the end of the log for 130 that failed, with at most 4 bytes per
 * character.
 */
const SQL_POSTGRES: readonly string[] = [
  `SELECT coalesce(json_agg(j), '[]') FROM (`,
  "  SELECT d.*, (SELECT right(string_agg(log.logtext, '' ORDER BY log.logid), 5000) FROM log",
  '    WHERE log.jobid = d.jobid AND d.bad AND d.logs <= 130) AS logtext FROM (',
  '    SELECT c.*, sum(CASE WHEN bad THEN 1 ELSE 0 END) OVER (ORDER BY jobid DESC) AS logs FROM (',
  '      SELECT job.*, client.name AS clientname,',
  "        jobstatus NOT IN ('T', 'R', 'C') OR joberrors > 0 AS bad",
  "      FROM job LEFT JOIN client USING (clientid) WHERE jobstatus = 'R'",
  "      OR schedtime > now() - interval '1 day' OR endtime > now() - interval '1 day'",
  '      ORDER BY jobid DESC LIMIT 1000) c) d) j;',
];
const SQL_SQLITE: readonly string[] = [
  "SELECT d.*, (SELECT substr(group_concat(LogText, ''), -5000) FROM Log",
  '  WHERE Log.JobId = d.JobId AND d.Bad AND d.Logs <= 130) AS LogText FROM (',
  '  SELECT c.*, sum(Bad) OVER (ORDER BY JobId DESC) AS Logs FROM (',
  '    SELECT Job.*, Client.Name AS ClientName,',
  "      JobStatus NOT IN ('T', 'R', 'C') OR JobErrors > 0 AS Bad",
  "    FROM Job LEFT JOIN Client USING (ClientId) WHERE JobStatus = 'R'",
  "    OR SchedTime > datetime('now', 'localtime', '-1 day')",
  "    OR EndTime > datetime('now', 'localtime', '-1 day')",
  '    ORDER BY JobId DESC LIMIT 1000) c) d;',
];

/**
 * Like `encodeURIComponent`, but also escapes the five characters that it leaves, because shells
 * interpret some of them.
 */
const url = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const iso = (at: Ms): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

const yaml = (text: string): string => JSON.stringify(text);
