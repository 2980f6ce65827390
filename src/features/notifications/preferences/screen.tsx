import { useMe } from '#src/app/session/session.ts';
import { NotifyDevices } from './browsers.tsx';
import { NotifyForm } from './form.tsx';
import { OwnPage } from '../../shared/own-account-page.tsx';
import { useQuery } from '../../shared/queries/use-query.ts';
import { notificationMessages as t } from './messages.en.ts';

/** `/monitoring/notifications`: the user's notification categories, channels and quiet hours. */
export function NotificationsPage() {
  const me = useMe();
  const asked = useQuery('getNotify', NOTHING, me !== null && me.acting === null);
  const { value } = asked;
  return (
    <OwnPage title={t.notifications} asked={[asked]}>
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
