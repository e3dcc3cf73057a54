import type { Attempt } from '@wabakit/server/control-types'

type Cause = NonNullable<Attempt['diagnosis']>['cause']

const site = 'https://wabakit.github.io'

/** The guide to each cause of a failed attempt, as a page of the documentation. */
export const guides: Readonly<Record<Cause, string>> = {
  wrong_secret: 'refused-webhooks#invalid-signature',
  timestamp: 'refused-webhooks#by-reason',
  authorization: 'refused-webhooks#by-reason',
  not_found: 'refused-webhooks#by-reason',
  redirect: 'when-nothing-arrives#nothing-arrives-at-all',
  gone: 'reference/health-events',
  rate_limited: 'scaling',
  server_error: 'refused-webhooks#by-reason',
  rejected: 'refused-webhooks#by-reason',
  timeout: 'queues',
  dns: 'when-nothing-arrives#nothing-arrives-at-all',
  tls: 'when-nothing-arrives#nothing-arrives-at-all',
  target_refused: 'securing-the-server',
  forged: 'testing',
  connection: 'when-nothing-arrives#nothing-arrives-at-all',
}

export const toGuideUrl = (cause: Cause): string => `${site}/${guides[cause]}`
