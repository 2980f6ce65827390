import { Button } from '#src/ui/button.tsx';
import { formatCount } from '#src/ui/format.ts';
import { useIsTablet } from '#src/ui/use-is-tablet.ts';
import { countEntries } from './basket.ts';
import type { Basket } from './basket.ts';
import { basketMessages as t } from './messages.en.ts';

/** Opens the basket, and says how much is in it. */
export function BasketButton({
  basket,
  onClick,
}: {
  readonly basket: Basket;
  readonly onClick: () => void;
}) {
  const isTablet = useIsTablet();
  const count = countEntries(basket);
  const label = count === 0 ? t.open : t.openCount({ count: formatCount(count) });
  return (
    <Button
      icon="basket"
      data-tip={t.openHint}
      {...(!isTablet && { 'aria-label': label })}
      onClick={onClick}
    >
      {isTablet ? label : count > 0 && formatCount(count)}
    </Button>
  );
}
