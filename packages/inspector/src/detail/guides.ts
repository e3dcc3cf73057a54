import type { Attempt } from '@wabakit/server/control-types'

type Cause = NonNullable<Attempt['diagnosis']>['cause']

const site = 'https://wabakit.github.io'

/** The guide to each cause of a failed attempt, as a page of the documentation. */
export const guides: Readonly<Record<Cause, string>> = {
  wrong_secret: 'reference/signatures#invalid-signature',
  timestamp: 'troubleshooting#by-reason',
  authorization: 'troubleshooting#by-reason',
  not_found: 'troubleshooting#by-reason',
  redirect: 'troubleshooting#nothing-arrives-at-all',
  gone: 'reference/health-events',
  rate_limited: 'scaling',
  server_error: 'troubleshooting#by-reason',
  rejected: 'troubleshooting#by-reason',
  timeout: 'queues',
  dns: 'troubleshooting#nothing-arrives-at-all',
  tls: 'troubleshooting#nothing-arrives-at-all',
  target_refused: 'running-the-server#webhook-targets',
  custom_payload: 'testing',
  connection: 'troubleshooting#nothing-arrives-at-all',
}

export const toGuideUrl = (cause: Cause): string => `${site}/${guides[cause]}`
