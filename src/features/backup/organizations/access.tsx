import { useState } from 'react';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { OutputOf } from '#contract/calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { getFailureText } from '#src/app/failure-text.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Callout } from '#src/ui/callout.tsx';
import { saveFile } from '#src/ui/save-file.ts';
import { Code } from './parts.tsx';
import { organizationMessages as t } from './messages.en.ts';

type Lacking = Pick<OrganizationRow, 'missingPermissions' | 'isCertificateMissing'>;
type Checked = OutputOf<'checkOrganization'>;

/** Whether the application lacks something that backups need. */
export const isLacking = ({
  missingPermissions = [],
  isCertificateMissing = false,
}: Lacking): boolean => isCertificateMissing || missingPermissions.length > 0;

/**
 * What the application of an organization lacks, with the certificate to add, and a check of its
 * access now.
 */
export function Access({
  id,
  name,
  lacking,
}: {
  readonly id: string;
  readonly name: string;
  readonly lacking: Lacking;
}) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const mutation = useServerMutation();
  const [checked, setChecked] = useState<Checked | null>(null);
  const { missingPermissions = [], isCertificateMissing = false } = checked ?? lacking;
  const check = async (): Promise<Checked | null> => {
    const answer = await mutation.send(() =>
      client().ask('checkOrganization', { organizationId: id }),
    );
    if (!answer.ok) return null;
    setChecked(answer.value);
    return answer.value;
  };
  const download = async (): Promise<void> => {
    const certificate = (await check())?.certificate ?? null;
    if (certificate !== null)
      saveFile(`${name}.pem`, new Blob([certificate], { type: 'application/x-pem-file' }));
  };
  const button = {
    call: 'checkOrganization',
    size: 'sm',
    disabled: offline,
    busy: mutation.busy,
    ...(offline && { 'data-tip': MESSAGES.needsNetwork }),
  } as const;
  return (
    <div className="grid gap-2 py-2">
      {isLacking({ missingPermissions, isCertificateMissing }) && (
        <Callout tone="warning">
          {isCertificateMissing && <p className="m-0">{t.lacksCertificate}</p>}
          {missingPermissions.length > 0 && (
            <>
              <p className="m-0">{t.lacksPermissions({ count: missingPermissions.length })}</p>
              <ul className="m-0 pl-5">
                {missingPermissions.map((permission) => (
                  <li key={permission}>
                    <Code>{permission}</Code>
                  </li>
                ))}
              </ul>
            </>
          )}
        </Callout>
      )}
      <div className="flex flex-wrap gap-2">
        {isCertificateMissing && (
          <CallButton {...button} icon="download" onClick={() => void download()}>
            {t.downloadCertificate}
          </CallButton>
        )}
        <CallButton {...button} icon="sync" onClick={() => void check()}>
          {t.checkAccess}
        </CallButton>
      </div>
      <output className="block empty:hidden">
        {checked !== null && !mutation.busy && (
          <Callout tone={!checked.signsIn ? 'failed' : isLacking(checked) ? 'warning' : 'success'}>
            {!checked.signsIn
              ? t.accessFails({ reason: checked.message ?? '' })
              : isLacking(checked)
                ? t.accessLacks
                : t.accessWorks}
          </Callout>
        )}
      </output>
      {mutation.failure !== null && (
        <Callout tone="failed" alert>
          {getFailureText(mutation.failure)}
        </Callout>
      )}
    </div>
  );
}

const EMPTY = {};
