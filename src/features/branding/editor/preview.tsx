import { useId } from 'react';
import type { CSSProperties } from 'react';
import type { Branding } from '#contract/branding/branding.ts';
import { BrandMark } from '#src/app/shell/branding/brand-mark.tsx';
import { variablesOf } from '#src/app/shell/branding/apply-branding.ts';
import './preview.css';

export interface PreviewProps {
  /** With what is typed; pictures aside. */
  readonly branding: Branding;
  /** Addresses that can be shown on this page; null: the mark of the portal. */
  readonly logo: string | null;
  readonly logoDark: string | null;
}

/** How sidebar, list and sign-in will look, in both themes. */
export function Preview({ branding, logo, logoDark }: PreviewProps) {
  const unset = Object.fromEntries(OWN.map((name) => [name, 'initial']));
  const style = {
    ...unset,
    ...Object.fromEntries(
      Object.entries(variablesOf(branding)).map(([name, value]) => [name, value ?? 'initial']),
    ),
  } as CSSProperties;
  return (
    <div className="grid gap-4 tablet:max-[1359px]:grid-cols-2">
      <Look look="light" branding={branding} style={style} logo={logo} />
      <Look look="dark" branding={branding} style={style} logo={logoDark ?? logo} />
    </div>
  );
}

/** What a user chose for the own sidebar is not the provider's. */
const OWN = ['--own-sidebar', '--own-side-on', '--own-side-line'] as const;
const ROWS = [
  ['failed', 'Failed', 'SQL nightly, tier 1'],
  ['warning', 'Warning', 'Mailboxes, all users'],
  ['success', 'Success', 'File server'],
] as const;

function Look({
  look,
  branding,
  style,
  logo,
}: {
  readonly look: 'light' | 'dark';
  readonly branding: Branding;
  readonly style: CSSProperties;
  readonly logo: string | null;
}) {
  const id = useId();
  const title = branding.sidebarTitle.trim() || 'Portal';
  const name = (
    <div className="bp-name">
      {logo === null ? <BrandMark branding={null} height={16} /> : <img src={logo} alt="" />}
      <span data-tip={title}>{title}</span>
    </div>
  );
  return (
    <figure className="m-0 grid gap-1.5" aria-labelledby={id}>
      <figcaption id={id} className="text-agate text-ink-3">
        {look === 'light' ? 'Light' : 'Dark'}
      </figcaption>
      <div className="bp" data-look={look} style={style}>
        <div className="bp-app">
          <div className="bp-side">
            {name}
            <div className="bp-entry">Dashboard</div>
            <div className="bp-entry bp-entry-on">Daily checks</div>
            <div className="bp-entry">Calendar view</div>
          </div>
          <div className="bp-page">
            <div className="bp-head">
              <span className="bp-cut">Daily checks</span>
              <span className="bp-button">Review</span>
            </div>
            <div className="bp-rows">
              {ROWS.map(([tone, word, job], i) => (
                <div key={job} className={`bp-row ${i === 1 ? 'bp-row-on' : ''}`}>
                  <span className={`bp-${tone}`}>{word}</span>
                  <span className="bp-cut">{job}</span>
                  <span className="bp-link">Open</span>
                </div>
              ))}
            </div>
          </div>
        </div>
        <div className="bp-in">
          <div className="bp-side">{name}</div>
          <div className="bp-form">
            <b className="bp-cut" data-tip={branding.title}>
              {branding.title.trim() || 'Portal'}
            </b>
            <div className="bp-field">Username</div>
            <div className="bp-button">Sign in</div>
          </div>
        </div>
      </div>
    </figure>
  );
}
