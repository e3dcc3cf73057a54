/** How a result is printed for people, besides as JSON: the columns of a table, or one field alone. */
export type ResourceCommand = {
  readonly name: string
  /** The id of the operation of the control API. Its schemas become arguments and options. */
  readonly operation: string
  readonly summary: string
  /** The fields of a list that its table shows: `field`, or `field.inner` for a field of its items. */
  readonly columns?: readonly string[]
  /** Prints this field of the result alone. */
  readonly field?: string
  readonly examples: readonly string[]
}

export type Resource = {
  readonly name: string
  readonly commands: readonly ResourceCommand[]
}

const organization = ['id', 'integrations.wabaNumber', 'pstnNumbers', 'callSummaries', 'createdAt']
const subscription = ['id', 'channel', 'number', 'url', 'enabled', 'disabledReason', 'failingSince']

/** The commands that are operations of the control API. */
export const resources: readonly Resource[] = [
  {
    name: 'org',
    commands: [
      {
        name: 'create',
        operation: 'createOrganization',
        summary: 'create an organization',
        examples: [
          'org create --id acme --pstn-numbers +15550100002',
          `org create --id acme --set 'integrations=[{"wabaNumber":"+15550100001"}]'`,
        ],
      },
      {
        name: 'list',
        operation: 'listOrganizations',
        summary: 'list organizations',
        columns: organization,
        examples: ['org list'],
      },
      {
        name: 'show',
        operation: 'getOrganization',
        summary: 'show an organization',
        examples: ['org show', 'org show --organization acme'],
      },
      {
        name: 'update',
        operation: 'updateOrganization',
        summary: 'change settings or numbers of an organization',
        examples: ['org update --call-summaries manual'],
      },
      {
        name: 'remove',
        operation: 'removeOrganization',
        summary: 'remove an organization and everything that it owns',
        examples: ['org remove --organization acme --dry-run'],
      },
    ],
  },
  {
    name: 'key',
    commands: [
      {
        name: 'create',
        operation: 'createApiKey',
        summary: 'create an API key of an organization, and print it',
        field: 'key',
        examples: ['key create', 'key create --label shop --waba-numbers +15550100001'],
      },
      {
        name: 'list',
        operation: 'listApiKeys',
        summary: 'list API keys',
        columns: ['id', 'label', 'wabaNumbers', 'fingerprint', 'createdAt'],
        examples: ['key list'],
      },
      {
        name: 'remove',
        operation: 'removeApiKey',
        summary: 'remove an API key',
        examples: ['key remove key_…'],
      },
    ],
  },
  {
    name: 'subscription',
    commands: [
      {
        name: 'create',
        operation: 'createSubscription',
        summary: 'subscribe a URL to the events of one number',
        examples: [
          'subscription create --channel PSTN --number +15550100002 --url http://127.0.0.1:3000/webhooks',
          'subscription create … --events CALL_ENDED,CALL_AI_SUMMARY --set authorization.token=…',
        ],
      },
      {
        name: 'list',
        operation: 'listSubscriptions',
        summary: 'list subscriptions',
        columns: subscription,
        examples: ['subscription list'],
      },
      {
        name: 'show',
        operation: 'getSubscription',
        summary: 'show a subscription',
        examples: ['subscription show sub_…'],
      },
      {
        name: 'update',
        operation: 'updateSubscription',
        summary: 'change, disable or enable a subscription',
        examples: [
          'subscription update sub_… --enabled false',
          'subscription update sub_… --max-attempts-per-second 5',
          'subscription update sub_… --url https://example.com/webhooks',
        ],
      },
      {
        name: 'rotate-secret',
        operation: 'rotateSubscriptionSecret',
        summary: 'replace the secret, and print the new one',
        field: 'secret',
        examples: [
          'subscription rotate-secret sub_…',
          'subscription rotate-secret sub_… --secret whsec_… --overlap-ms 0',
        ],
      },
      {
        name: 'test',
        operation: 'sendTestEvent',
        summary: 'send a test event to this subscription alone',
        examples: ['subscription test sub_…', 'subscription test sub_… --name CALL_ENDED'],
      },
      {
        name: 'remove',
        operation: 'removeSubscription',
        summary: 'remove a subscription and its deliveries',
        examples: ['subscription remove sub_… --dry-run'],
      },
    ],
  },
  {
    name: 'events',
    commands: [
      {
        name: 'list',
        operation: 'listEvents',
        summary: 'list events, newest first',
        columns: ['id', 'occurredAt', 'name', 'subject', 'channel'],
        examples: [
          'events list --name CALL_ENDED --from 2026-01-01T00:00:00Z',
          'events list --text "Order 1042"',
          'events list --call call_… --format json',
          'events list --subscription sub_… --limit 10',
        ],
      },
      { name: 'show', operation: 'getEvent', summary: 'show an event', examples: ['events show evt_…'] },
    ],
  },
  {
    name: 'deliveries',
    commands: [
      {
        name: 'list',
        operation: 'listDeliveries',
        summary: 'list deliveries, newest first',
        columns: ['id', 'createdAt', 'eventName', 'subject', 'status', 'attempts', 'dueAt'],
        examples: [
          'deliveries list --status pending,exhausted',
          'deliveries list --subscription sub_… --name CALL_ENDED',
        ],
      },
      {
        name: 'retry',
        operation: 'retryDelivery',
        summary: 'make the next attempt of a pending delivery now',
        examples: ['deliveries retry dlv_…'],
      },
    ],
  },
  {
    name: 'calls',
    commands: [
      {
        name: 'list',
        operation: 'listCalls',
        summary: 'list calls, newest first',
        columns: ['callId', 'initiatedAt', 'state', 'channel', 'direction', 'customerNumber'],
        examples: ['calls list --state missed', 'calls list --customer +15550199001'],
      },
    ],
  },
  {
    name: 'groups',
    commands: [
      {
        name: 'list',
        operation: 'listGroups',
        summary: 'list groups, newest first',
        columns: ['groupId', 'createdAt', 'wabaNumber', 'subject'],
        examples: ['groups list --text order'],
      },
      {
        name: 'add-participant',
        operation: 'simulateParticipant',
        summary: 'simulate that a participant joins, leaves or is removed',
        examples: ['groups add-participant --group-id order-1042 --phone +15550199001 --state joined'],
      },
    ],
  },
  {
    name: 'requests',
    commands: [
      {
        name: 'list',
        operation: 'listRequests',
        summary: 'list the last requests of the public API, newest first',
        columns: ['at', 'method', 'path', 'status', 'code', 'organizationId', 'keyLabel', 'durationMs'],
        examples: ['requests list --status 401', 'requests list --call call_…'],
      },
    ],
  },
  {
    name: 'faults',
    commands: [
      {
        name: 'list',
        operation: 'listFaults',
        summary: 'list the faults of further requests',
        columns: ['id', 'endpoint', 'status', 'code', 'remaining'],
        examples: ['faults list'],
      },
      {
        name: 'add',
        operation: 'addFault',
        summary: 'make the next requests to an endpoint fail',
        examples: [
          'faults add --endpoint groups.create --status 503 --times 3',
          'faults add --endpoint "*" --latency-ms 2000',
        ],
      },
      { name: 'clear', operation: 'clearFaults', summary: 'remove all faults', examples: ['faults clear'] },
    ],
  },
]
