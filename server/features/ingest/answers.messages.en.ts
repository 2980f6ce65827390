import { defineMessages } from '#contract/i18n/messages.ts';

/** Answers to programs that post results: why something was refused, or not recorded as a run. */
export const ingestAnswers = defineMessages('ingest-answers', {
  unknownField: 'is not a field of the record',
  missingField: 'is missing',
  invalidField: 'is not valid',
  expectedField: 'must be {expected}',
  invalidTime: 'must be a time after 1970',
  inFuture: 'is more than a day in the future',
  beforeStart: 'is before startTime',
  tooLarge: 'is too large',
  otherJob: 'belongs to a run of another job',
  invalidInterval: 'must repeat every second or less often',
  invalidZone: 'must have a time zone, such as Europe/Berlin',
  invalidCron: 'must have a cron expression, such as 30 22 * * 1-5',
  record: 'Record {index}: {error}',
  newestOnly: 'Only the newest {max} of {count} restore points were read.',
  shorterOutput:
    'A body may have 1 MB, or 4 MB unpacked. Send the end of the output only, for example through: tail -c 1000000',
  shorterList:
    'For a list, compress it with gzip (Content-Encoding: gzip) or ask for fewer entries: {command}',
  notArray: 'A batch must be a JSON array.',
  tooManyEvents: 'Send at most {max, number} events in one request.',
  notEventObject: 'A structured event must be a JSON object.',
  notCloudEvents:
    'Send application/cloudevents+json, application/cloudevents-batch+json, or ce- headers.',
  dataNotJson: "The data isn't JSON.",
  emptyList: 'The list is empty, so nothing was recorded.',
  tooManyRecords: 'Send at most {max, number} records in one request.',
  notJson: "The body isn't JSON.",
  onlyGzip: 'Only gzip is supported.',
  notGzip: "The body isn't gzip.",
  tooLong: 'Send at most {max, number} characters.',
  exitCode: 'Expected a whole number from 0 to 255.',
  timeZone: 'Expected a time zone, such as Europe/Berlin.',
  duration: 'Expected seconds, or a value such as 90m, 24h, or 7d.',
  noOutput: "The body contains no output of {tool}, and there's no exit code.",
  noOutputAtAll: 'The body contains no output of {tool}.',
  dryRun: "A dry run doesn't back up anything, so nothing was recorded.",
  noBacula: 'The body contains no row of the Job table.',
  noJobs: 'No jobs ran, so nothing was recorded.',
  tooManyRows: 'Send at most {max, number} rows in one request.',
  notRow: 'Expected a row of the Job table.',
  unknownStatus: "JobStatus isn't a status of Bacula.",
  unknownType: "Type {type} isn't a job type of Bacula.",
  noZone: 'StartTime has no time zone. Send JobTDate too, or tz.',
  noArchives: 'The list contains no archives, so nothing was recorded.',
  archiveIncomplete: 'An archive has no ID or no start time.',
  noArchive:
    'The output contains no archive, so nothing was recorded. Run borg create with --json, without --dry-run.',
  noManifest:
    'The output contains no snapshot, so nothing was recorded. Run kopia snapshot create with --json.',
  otherOperation: "{operation} isn't a backup, so nothing was recorded.",
  startMissing: 'startTime is missing.',
  coreStats:
    'core/stats counts all work of the rclone process. Send job/status or the log of the command instead.',
  jobNumber: 'This is the ID of a job. Send job/status when the job has finished.',
  noSnapshots: 'The list contains no snapshots, so nothing was recorded.',
  snapshotIncomplete: 'A snapshot has no ID or no time.',
  noSummary:
    'The output contains no backup summary, so nothing was recorded. Run restic backup with --json, and send its complete output.',
  notBackup: "This is the output of {command}. It isn't a backup, so nothing was recorded.",
  notRestic: 'This is neither a list of snapshots nor the output of restic backup.',
  wrongStatistics:
    'These statistics count restored data, not stored data, so nothing was recorded. Use restic stats --mode raw-data --json.',
});
