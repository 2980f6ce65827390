import { useId } from 'react';
import type { CSSProperties } from 'react';
import type { Branding } from '#contract/branding/branding.ts';
import { BrandMark } from '#src/app/shell/branding/brand-mark.tsx';
import { getVariables } from '#src/app/shell/branding/apply-branding.ts';
import './preview.css';
import { brandingMessages as t } from './messages.en.ts';

export interface PreviewProps {
  /** The typed values, without images. */
  readonly branding: Branding;
  /** Image addresses that this page can display; null: the portal's default mark. */
  readonly logo: string | null;
  readonly logoDark: string | null;
}

/** Preview of sidebar, list and sign-in in both themes. */
export function Preview({ branding, logo, logoDark }: PreviewProps) {
  const unset = Object.fromEntries(OWN.map((name) => [name, 'initial']));
  const style = {
    ...unset,
    ...Object.fromEntries(
      Object.entries(getVariables(branding)).map(([name, value]) => [name, value ?? 'initial']),
    ),
  } as CSSProperties;
  return (
    <div className="grid gap-4 tablet:max-[1359px]:grid-cols-2">
      <Look look="light" branding={branding} style={style} logo={logo} />
      <Look look="dark" branding={branding} style={style} logo={logoDark ?? logo} />
    </div>
  );
}

/** CSS variables of the user's own sidebar color. The preview unsets them. */
const OWN = ['--own-sidebar', '--own-side-on', '--own-side-line'] as const;
const ROWS = [
  ['failed', t.failed, t.sampleSqlJob],
  ['warning', t.warning, t.sampleMailboxJob],
  ['success', t.success, t.sampleFileJob],
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
  const title = branding.sidebarTitle.trim() || t.portal;
  const name = (
    <div className="bp-name">
      {logo === null ? <BrandMark branding={null} height={16} /> : <img src={logo} alt="" />}
      <span data-tip={title}>{title}</span>
    </div>
  );
  return (
    <figure className="m-0 grid gap-1.5" aria-labelledby={id}>
      <figcaption id={id} className="text-agate text-ink-3">
        {look === 'light' ? t.light : t.dark}
      </figcaption>
      <div className="bp" data-look={look} style={style}>
        <div className="bp-app">
          <div className="bp-side">
            {name}
            <div className="bp-entry">{t.dashboard}</div>
            <div className="bp-entry bp-entry-on">{t.dailyChecks}</div>
            <div className="bp-entry">{t.calendarView}</div>
          </div>
          <div className="bp-page">
            <div className="bp-head">
              <span className="bp-cut">{t.dailyChecks}</span>
              <span className="bp-button">{t.review}</span>
            </div>
            <div className="bp-rows">
              {ROWS.map(([tone, word, job], i) => (
                <div key={job} className={`bp-row ${i === 1 ? 'bp-row-on' : ''}`}>
                  <span className={`bp-${tone}`}>{word}</span>
                  <span className="bp-cut">{job}</span>
                  <span className="bp-link">{t.open}</span>
                </div>
              ))}
            </div>
          </div>
        </div>
        <div className="bp-in">
          <div className="bp-side">{name}</div>
          <div className="bp-form">
            <b className="bp-cut" data-tip={branding.title}>
              {branding.title.trim() || t.portal}
            </b>
            <div className="bp-field">{t.username}</div>
            <div className="bp-button">{t.signIn}</div>
          </div>
        </div>
      </div>
    </figure>
  );
}
