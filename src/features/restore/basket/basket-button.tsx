import { Button } from '#src/ui/button.tsx';
import { formatCount } from '#src/ui/format.ts';
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
  const count = countEntries(basket);
  return (
    <Button icon="basket" data-tip={t.openHint} onClick={onClick}>
      {count === 0 ? t.open : t.openCount({ count: formatCount(count) })}
    </Button>
  );
}
