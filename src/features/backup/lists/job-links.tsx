import type { BackupJobRow } from '#contract/backup/jobs.ts';
import { SectionLink } from '../../shared/section-link.tsx';
import { suiteListAddress } from '../../shared/suite-list/address.ts';

/** The names of jobs, each a link to its job. */
export const JobLinks = ({ jobs }: { readonly jobs: readonly BackupJobRow[] }) => (
  <ul className="m-0 list-none p-0">
    {jobs.map(({ id, name }) => (
      <li key={id} className="py-0.5">
        <SectionLink
          href={suiteListAddress('/o365/jobs', { text: '', open: id, tab: null })}
          className="inline-flex min-h-6 items-center text-accent underline underline-offset-2 pointer-coarse:min-h-11"
        >
          {name}
        </SectionLink>
      </li>
    ))}
  </ul>
);
