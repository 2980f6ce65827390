import { useParams, useRouter } from '@tanstack/react-router';
import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import { MESSAGES } from '#contract/messages.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { useNow } from '#src/app/clock.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useZone } from '#src/app/session/session.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { formatDate } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { suiteListAddress } from '../../../shared/suite-list/address.ts';
import { FactList } from '../../../shared/suite-list/suite-list.tsx';
import { checkCode, requestCode } from '../device-code/calls.ts';
import { DeviceCodeStep } from '#src/features/shared/device-code/device-code-step.tsx';
import { CertificateDays, Code } from '../parts.tsx';
import { certificateMessages as t } from './messages.en.ts';

type Certificate = NonNullable<OrganizationRow['certificate']>;
const LIST = '/o365/organizations';

/** `/o365/organizations/certificate/…`: replaces the certificate of an organization, step by step. */
export function RenewCertificate() {
  const { companyId, organizationId } = useParams({ strict: false });
  const rows = useWatch('organizations', EMPTY);
  const companies = useWatch('companies', EMPTY);
  const { history } = useRouter();
  if (rows == null || companies === undefined)
    return (
      <Page title={t.title}>
        <DelayedFallback>
          <PageLoading />
        </DelayedFallback>
      </Page>
    );
  const row = rows.find(({ id }) => id === organizationId);
  const owner = companies.find(({ n }) => n === row?.company);
  const isFound = row !== undefined && [String(row.company), owner?.id].includes(companyId);
  if (isFound && row.certificate !== null)
    return <Steps key={row.id} row={row} current={row.certificate} />;
  return (
    <Page title={t.title}>
      <div className="grid min-h-full bg-sheet">
        <Notice
          icon="key"
          level={2}
          title={isFound ? t.noCertificate : t.notFound}
          actions={<Button onClick={() => history.push(LIST)}>{t.organizations}</Button>}
        >
          <p className="m-0">{isFound ? t.noCertificateHint : t.notFoundHint}</p>
        </Notice>
      </div>
    </Page>
  );
}

function Steps({ row, current }: { readonly row: OrganizationRow; readonly current: Certificate }) {
  const { history } = useRouter();
  const zone = useZone();
  const now = useNow(60_000);
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  // The row has the new certificate as soon as it is renewed.
  const [former] = useState(current);
  const [code, setCode] = useState<string | null>(null);
  const [attempt, setAttempt] = useState(1);
  const mutation = useServerMutation();
  const error = mutation.failure && getFailureText(mutation.failure);
  const [renewed, setRenewed] = useState<Certificate | null>(null);
  const isReady = code !== null && !offline;

  async function renew(): Promise<void> {
    if (code === null) return;
    const answer = await mutation.send(() =>
      withReauth(() => client().ask('renewCertificate', { organizationId: row.id, code })),
    );
    if (answer.ok) setRenewed(answer.value);
  }

  const again = (): void => {
    setCode(null);
    setAttempt(attempt + 1);
  };
  const getFacts = (certificate: Certificate) => [
    [t.thumbprint, <Code key="thumbprint">{certificate.thumbprint}</Code>] as const,
    [
      t.expires,
      <span key="expires">
        {formatDate(certificate.expiresAt, zone)}{' '}
        <CertificateDays row={{ certificate }} now={now} zone={zone} />
      </span>,
    ] as const,
  ];
  return (
    <Page title={t.title} detail={row.name}>
      <div className="min-h-full bg-sheet">
        <div className="mx-auto grid max-w-[760px] gap-8 px-4 py-6 tablet:px-8">
          <p className="m-0 text-ink-2">{t.lead}</p>
          <Step n={1} title={renewed === null ? t.current : t.former} isDone>
            <FactList
              facts={[
                ...getFacts(former),
                ...(row.applicationId === null
                  ? []
                  : [
                      [
                        t.applicationId,
                        <Code key="application">{row.applicationId}</Code>,
                      ] as const,
                    ]),
              ]}
            />
          </Step>
          <Step n={2} title={t.signIn} isDone={code !== null}>
            <DeviceCodeStep
              key={attempt}
              granted={code !== null}
              lead={t.signInLead}
              permissions={[t.permission]}
              grantedText={t.granted}
              request={() => requestCode('requestAppDeviceCode', { organizationId: row.id })}
              check={checkCode}
              onGranted={setCode}
            />
          </Step>
          <Step n={3} title={t.renew} isDone={renewed !== null}>
            {renewed === null ? (
              <>
                <p className="m-0 text-ink-2">{t.renewHint}</p>
                {error !== null && (
                  <Callout
                    tone="failed"
                    alert
                    action={
                      <Button size="sm" onClick={again}>
                        {t.anotherCode}
                      </Button>
                    }
                  >
                    {error}
                  </Callout>
                )}
                <span>
                  <CallButton
                    call="renewCertificate"
                    variant="primary"
                    busy={mutation.busy}
                    disabled={!isReady}
                    {...(!isReady && {
                      'data-tip': offline ? MESSAGES.needsNetwork : t.signInFirst,
                    })}
                    onClick={() => void renew()}
                  >
                    {t.renewNow}
                  </CallButton>
                </span>
              </>
            ) : (
              <>
                <Callout tone="success" alert>
                  {t.renewed}
                </Callout>
                <FactList facts={getFacts(renewed)} />
                <span>
                  <Button
                    variant="primary"
                    onClick={() =>
                      history.push(suiteListAddress(LIST, { text: '', open: row.id, tab: null }))
                    }
                  >
                    {t.toOrganization}
                  </Button>
                </span>
              </>
            )}
          </Step>
        </div>
      </div>
    </Page>
  );
}

function Step({
  n,
  title,
  isDone,
  children,
}: {
  readonly n: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="flex items-baseline gap-2.5 border-b-2 border-head-rule pb-1.5">
        <h2 id={id} className="m-0 grow text-[length:inherit]">
          {title}
        </h2>
        <span className="inline-flex items-center gap-1.5 text-agate text-ink-3">
          {isDone && <Icon name="tick" className="text-accent" />}
          {t.step({ n })}
        </span>
      </div>
      {children}
    </section>
  );
}

const EMPTY = {};
