import { useEffect, useRef } from 'react';
import type { InputOf } from '#contract/calls.ts';
import type { DeviceCodeState } from '#contract/engine/engine.ts';
import { ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import type { ShownCode } from '#machines/device-code.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { DeviceCodeStep } from '#src/features/shared/device-code/device-code-step.tsx';
import { useCapabilities } from '../capabilities.ts';
import { useOperator } from '../operator/context.ts';
import { restoreRightsMessages as t } from './messages.en.ts';

type SessionType = InputOf<'openRestoreSession'>['sessionType'];

/** An administrator of the tenant grants the rights to write for this session, with a code. */
export function GrantRights({
  title,
  organizationId,
  sessionType,
  permissions,
  onGranted,
}: {
  readonly title: string;
  /** The organization that is written to. */
  readonly organizationId: string;
  readonly sessionType: SessionType;
  /** What the sign-in grants, as permissions of Microsoft Graph. */
  readonly permissions: readonly string[];
  readonly onGranted: () => void;
}) {
  const isOperator = useOperator() !== null;
  const { temporaryApplication } = useCapabilities();
  const head = useRef<HTMLHeadingElement>(null);
  // The button that was pressed is gone.
  useEffect(() => {
    head.current?.focus();
  }, []);
  return (
    <div className="grid gap-3 py-3">
      <h3 ref={head} tabIndex={-1} className="m-0 text-[length:inherit] outline-none">
        {title}
      </h3>
      {isOperator ? (
        <p className="m-0">{t.askAdministrator}</p>
      ) : (
        <DeviceCodeStep
          granted={false}
          lead={temporaryApplication ? t.lead : t.leadServer}
          permissions={permissions.map((permission) => LABELS[permission] ?? permission)}
          permissionsNote={temporaryApplication ? t.note : t.noteServer}
          grantedText={t.granted}
          request={() => requestCode(organizationId, sessionType)}
          check={() => checkCode(organizationId)}
          onGranted={onGranted}
        />
      )}
    </div>
  );
}

const LABELS: Readonly<Record<string, string>> = {
  'User.Read.All': t.userRead,
  'Mail.ReadWrite': t.mailWrite,
  'Calendars.ReadWrite': t.calendarsWrite,
  'Contacts.ReadWrite': t.contactsWrite,
  'Tasks.ReadWrite.All': t.tasksWrite,
  'Files.ReadWrite.All': t.filesWrite,
  'MailboxItem.ImportExport.All': t.mailImport,
};

async function requestCode(
  organizationId: string,
  sessionType: SessionType,
): Promise<Result<ShownCode>> {
  return withReauth(() =>
    client().ask('requestRestoreDeviceCode', { organizationId, sessionType }),
  );
}

async function checkCode(organizationId: string): Promise<Result<DeviceCodeState>> {
  const checked = await withReauth(() => client().ask('requestRestoreToken', { organizationId }));
  return checked.ok ? ok(checked.value.state) : checked;
}
