import type { Contents } from './backlog.ts'

const subscriptions = 1_000
const own = `'group:' || n`

/** How deliveries can be spread, with so many of them in the store. */
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
  'behind settled ones': (deliveries) => ({
    ...{ deliveries, subscriptions, subject: own, subscription: '1', dueAt: 'n' },
    status: `case when n > ${deliveries - 1_000} then 'pending' else 'delivered' end`,
  }),
}

/** 1,000 and its multiples by ten, up to the most. */
export const numbersTo = (most: number): number[] => {
  const powers = Array.from({ length: Math.floor(Math.log10(most)) - 2 }, (_, index) => 10 ** (index + 3))
  return powers.includes(most) ? powers : [...powers, most]
}
