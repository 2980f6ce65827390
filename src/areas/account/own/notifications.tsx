import { useMe } from '#src/session.ts';
import { NotifyDevices } from './notify-devices.tsx';
import { NotifyForm } from './notify-form.tsx';
import { OwnPage } from './own-page.tsx';
import { useAsked } from './use-asked.ts';

/** `/monitoring/notifications`: of what the user is told, how, and when not. */
export function NotificationsPage() {
  const me = useMe();
  const asked = useAsked('getNotify', NOTHING, me !== null && me.acting === null);
  const { value } = asked;
  return (
    <OwnPage title="Notifications" asked={[asked]}>
      {() =>
        value !== null && (
          <>
            <NotifyForm
              told={value}
              onSaved={(settings, nextAt) => asked.set({ ...value, settings, nextAt })}
            />
            <NotifyDevices told={value} onChanged={asked.again} />
          </>
        )
      }
    </OwnPage>
  );
}

const NOTHING = {};
