import { PGlite } from '@electric-sql/pglite';
import { Client } from 'pg';
import { toolMissing } from '../../e2e/tools.ts';
import { freshUrl, missing } from '../db/databases.ts';

/** The tables that the commands name, as Bacula 9.6 makes them in PostgreSQL. */
export const CATALOG = `create table job (jobid integer primary key, job text, name text, type char(1), level char(1), clientid integer, jobstatus char(1), schedtime timestamp, starttime timestamp,
  endtime timestamp, realendtime timestamp, jobtdate bigint, volsessionid integer default 1, volsessiontime integer default 1795375634, jobfiles integer, jobbytes bigint, readbytes bigint,
  joberrors integer, jobmissingfiles integer default 0, poolid integer default 1, filesetid integer default 1, priorjobid integer default 0, purgedfiles smallint default 0,
  hasbase smallint default 0, hascache smallint default 0, reviewed smallint default 0, comment text, filetable text default 'File');
  create table client (clientid integer primary key, name text); create table log (logid integer primary key, jobid integer, time timestamp, logtext text);
  insert into client values (1, 'pc-1-fd');`;
interface Row {
  readonly id: number;
  readonly status?: string;
  /** SQL. */
  readonly due: string;
  readonly end: string;
  readonly log?: string;
}
const insert = ({ id, status = 'T', due, end, log = 'fine' }: Row): string =>
  `insert into job (jobid, job, name, type, level, clientid, jobstatus, schedtime, starttime, endtime, realendtime, jobtdate, jobfiles, jobbytes, readbytes, joberrors)
     values (${id}, 'x.${id}', 'Job ${id}', 'B', 'F', 1, '${status}', ${due}, ${due}, ${end}, ${end}, 0, 5, 50, 50, ${status === 'f' ? 1 : 0});
   insert into log values (${id}, ${id}, ${due}, '${log}');`;
/** A day of jobs, by a function that returns a moment some hours ago in SQL. */
export const getJobs = (ago: (hours: number) => string): string =>
  [
    { id: 1, due: ago(50), end: ago(49) },
    { id: 2, due: ago(50), end: ago(1) },
    { id: 3, status: 'R', due: ago(50), end: 'null', log: 'still running' },
    { id: 7, due: ago(1), end: ago(1) },
    {
      id: 8,
      status: 'f',
      due: ago(1),
      end: ago(1),
      log: `pc-1 JobId 8: Fatal error: it''s "unreachable"`,
    },
  ]
    .map(insert)
    .join('\n');
/** More failed jobs in a day than logs fit, with the longest characters that logs usually have. */
export const getBadDay = (at: string): string =>
  Array.from({ length: 1_010 }, (_, n) =>
    insert({
      id: 100 + n,
      status: 'f',
      due: at,
      end: at,
      log: `Fatal error: ${'漢'.repeat(6_000)}`,
    }),
  ).join('\n');

interface Catalog {
  exec(sql: string): Promise<unknown>;
  /** Returns what `psql` would print; null where the real one is. */
  getAnswer(sql: string): Promise<string | null>;
  /** For `psql`. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** A real PostgreSQL and psql where both are, else PostgreSQL in this process. */
export async function openCatalog(): Promise<Catalog> {
  if (missing === '' && toolMissing('psql', 'postgresql-client') === null) {
    const url = new URL(await freshUrl());
    const system = new Client(url.href);
    await system.connect();
    await system.query('drop database if exists bacula');
    await system.query('drop role if exists bacula');
    await system.query('create role bacula login');
    await system.query('create database bacula owner bacula');
    url.pathname = '/bacula';
    url.username = 'bacula';
    const client = new Client(url.href);
    await client.connect();
    return {
      exec: (sql) => client.query(sql),
      getAnswer: () => Promise.resolve(null),
      env: { PGHOST: url.searchParams.get('host') ?? '', PGPORT: '5432' },
      close: async () => {
        await client.end();
        await system.query('drop database bacula');
        await system.query('drop role bacula');
        await system.end();
      },
    };
  }
  const catalog = await PGlite.create();
  return {
    exec: (sql) => catalog.exec(sql),
    // psql prints the value of the only column.
    getAnswer: async (sql) =>
      JSON.stringify((await catalog.query<{ coalesce: unknown }>(sql)).rows[0]?.coalesce),
    env: {},
    close: () => catalog.close(),
  };
}
