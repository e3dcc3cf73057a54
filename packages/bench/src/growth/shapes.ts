import type { Contents } from './backlog.ts'

const subscriptions = 1_000
const own = `'group:' || n`

/** Shapes of a backlog: how deliveries are spread over lanes and subscriptions. */
export const shapes: Readonly<Record<string, (deliveries: number) => Contents>> = {
  'each its own lane': (deliveries) => ({
    ...{ deliveries, subscriptions, subject: own, subscription: '1', status: `'pending'`, dueAt: 'n' },
  }),
  'in one lane': (deliveries) => ({
    ...{ deliveries, subscriptions, subject: `'group:0'`, subscription: '1', dueAt: 'n' },
    status: `case n when 1 then 'pending' else 'waiting' end`,
  }),
  'over 1,000 subscriptions': (deliveries) => ({
    ...{ deliveries, subscriptions, subject: own, status: `'pending'`, dueAt: 'n' },
    subscription: `1 + n % ${subscriptions}`,
  }),
  'behind finished deliveries': (deliveries) => ({
    ...{ deliveries, subscriptions, subject: own, subscription: '1', dueAt: 'n' },
    status: `case when n > ${deliveries - 1_000} then 'pending' else 'delivered' end`,
  }),
}

/** Lists 1,000, 10,000 and so on, up to the maximum. */
export const listSizes = (maximum: number): number[] => {
  const powers = Array.from({ length: Math.floor(Math.log10(maximum)) - 2 }, (_, index) => 10 ** (index + 3))
  return powers.includes(maximum) ? powers : [...powers, maximum]
}
