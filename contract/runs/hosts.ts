import type { CompanyN } from '../ids.ts';
import type { JobRow } from './rows.ts';

/** The company and host of a job. */
export type JobHost = Pick<JobRow, 'company' | 'computer' | 'server'>;

/**
 * Returns a function that counts the jobs of a company whose computer or server has a host name
 * (DESK-6). Case doesn't matter. A short name matches its full form (`db1` and `db1.example.net`),
 * but two full names match only if they are equal. An IP address has no short form.
 */
export function jobCounter(
  jobs: readonly JobHost[],
): (company: CompanyN, hostName: string) => number {
  const whole = new Map<string, Set<number>>();
  const short = new Map<string, Set<number>>();
  jobs.forEach(({ company, computer, server }, job) => {
    for (const name of [plain(computer), plain(server)]) {
      if (name === '') continue;
      add(whole, `${company} ${name}`, job);
      if (shortenHost(name) !== name) add(short, `${company} ${shortenHost(name)}`, job);
    }
  });
  return (company, hostName) => {
    const name = plain(hostName);
    const same = whole.get(`${company} ${name}`) ?? NONE;
    const alike =
      (shortenHost(name) === name
        ? short.get(`${company} ${name}`)
        : whole.get(`${company} ${shortenHost(name)}`)) ?? NONE;
    return same.size + [...alike].filter((job) => !same.has(job)).length;
  };
}

const NONE: ReadonlySet<number> = new Set();
const plain = (name: string): string => name.trim().toLowerCase();
const ADDRESS = /^[\d.]+$|:/;
const shortenHost = (name: string): string =>
  ADDRESS.test(name) ? name : name.split('.', 1)[0] || name;

function add(index: Map<string, Set<number>>, key: string, job: number): void {
  const set = index.get(key);
  if (set) set.add(job);
  else index.set(key, new Set([job]));
}
