/** A command for an operation of the control API, and the human-readable format of its result. */
export type ResourceCommand = {
  /** The id of the operation. Its schemas become arguments and options. */
  readonly operation: string
  /** @default the summary of the operation */
  readonly summary?: string
  /**
   * The fields shown in a list's table, the most important one first, because a terminal may be too narrow
   * for the last: `field`, or `field.inner` for a field of its items.
   */
  readonly columns?: readonly string[]
  /** Prints only this field of the result, unless the format is JSON. */
  readonly field?: string
  readonly examples: readonly string[]
}

export const resources: Readonly<Record<string, Readonly<Record<string, ResourceCommand>>>> = {
  org: {
    create: {
      operation: 'createOrganization',
      examples: [
        'org create --id acme --pstn-numbers +15550100002',
        `org create --id acme --set 'integrations=[{"wabaNumber":"+15550100001"}]'`,
      ],
    },
    list: {
      operation: 'listOrganizations',
      columns: ['id', 'callSummaries', 'createdAt', 'integrations.wabaNumber', 'pstnNumbers'],
      examples: ['org list'],
    },
    show: { operation: 'getOrganization', examples: ['org show', 'org show --organization acme'] },
    update: { operation: 'updateOrganization', examples: ['org update --call-summaries manual'] },
    remove: { operation: 'removeOrganization', examples: ['org remove --organization acme --dry-run'] },
  },
  number: {
    list: {
      operation: 'listNumbers',
      columns: ['number', 'channel', 'enabled', 'joinApprovalMode'],
      examples: ['number list'],
    },
    show: { operation: 'getNumber', examples: ['number show WHATSAPP +15550100001'] },
    create: {
      operation: 'createNumber',
      examples: [
        'number create --channel WHATSAPP --number +15550100003',
        'number create --channel PSTN --number +15550100004',
      ],
    },
    update: {
      operation: 'updateNumber',
      examples: ['number update WHATSAPP +15550100001 --enabled false'],
    },
    remove: { operation: 'removeNumber', examples: ['number remove PSTN +15550100004'] },
  },
  key: {
    create: {
      operation: 'createApiKey',
      field: 'key',
      examples: ['key create', 'key create --label shop --waba-numbers +15550100001'],
    },
    list: {
      operation: 'listApiKeys',
      columns: ['id', 'label', 'lastRequestAt', 'createdAt', 'wabaNumbers', 'fingerprint'],
      examples: ['key list'],
    },
    remove: { operation: 'removeApiKey', examples: ['key remove key_…'] },
  },
  subscription: {
    create: {
      operation: 'createSubscription',
      examples: [
        'subscription create --channel PSTN --number +15550100002 --url http://127.0.0.1:3000/webhooks',
        'subscription create … --events CALL_ENDED,CALL_AI_SUMMARY --set authorization.token=…',
      ],
    },
    list: {
      operation: 'listSubscriptions',
      columns: ['state', 'failingSince', 'id', 'url', 'channel', 'number', 'disabledReason'],
      examples: ['subscription list', 'subscription list --state failing'],
    },
    show: { operation: 'getSubscription', examples: ['subscription show sub_…'] },
    update: {
      operation: 'updateSubscription',
      examples: [
        'subscription update sub_… --enabled false',
        'subscription update sub_… --max-attempts-per-second 5',
        'subscription update sub_… --url https://example.com/webhooks',
      ],
    },
    'rotate-secret': {
      operation: 'rotateSubscriptionSecret',
      field: 'secret',
      examples: [
        'subscription rotate-secret sub_…',
        'subscription rotate-secret sub_… --secret whsec_… --overlap-ms 0',
      ],
    },
    test: {
      operation: 'sendTestEvent',
      examples: ['subscription test sub_…', 'subscription test sub_… --name CALL_ENDED'],
    },
    remove: { operation: 'removeSubscription', examples: ['subscription remove sub_… --dry-run'] },
  },
  events: {
    list: {
      operation: 'listEvents',
      summary: 'list events, newest first',
      columns: ['name', 'occurredAt', 'id', 'subject', 'channel'],
      examples: [
        'events list --name CALL_ENDED --from 2026-01-01T00:00:00Z',
        'events list --text "Order 1042"',
        'events list --call call_… --format json',
        'events list --subscription sub_… --limit 10',
      ],
    },
    show: { operation: 'getEvent', examples: ['events show evt_…'] },
  },
  deliveries: {
    list: {
      operation: 'listDeliveries',
      summary: 'list deliveries, newest first',
      columns: [
        ...['status', 'response', 'event', 'about', 'endpoint'],
        ...['id', 'attempts', 'createdAt', 'dueAt'],
      ],
      examples: [
        'deliveries list --status pending,exhausted',
        'deliveries list --subscription sub_… --name CALL_ENDED',
      ],
    },
  },
  calls: {
    list: {
      operation: 'listCalls',
      columns: ['state', 'summaryArrival', 'callId', 'initiatedAt', 'customerNumber', 'channel', 'direction'],
      examples: ['calls list --state missed', 'calls list --customer +15550199001'],
    },
  },
  groups: {
    list: {
      operation: 'listGroups',
      summary: 'list groups, newest first',
      columns: ['groupId', 'members', 'createdAt', 'subject', 'wabaNumber'],
      examples: ['groups list --text order'],
    },
    'add-participant': {
      operation: 'simulateParticipant',
      examples: ['groups add-participant --group-id order-1042 --phone +15550199001 --state joined'],
    },
  },
  requests: {
    list: {
      operation: 'listRequests',
      columns: [
        ...['status', 'at', 'method', 'path', 'code', 'address', 'keyLabel', 'keyFingerprint'],
        ...['userAgent', 'durationMs', 'organizationId'],
      ],
      examples: ['requests list --status 401', 'requests list --call call_…'],
    },
  },
  faults: {
    list: {
      operation: 'listFaults',
      columns: ['status', 'endpoint', 'id', 'code', 'remaining'],
      examples: ['faults list'],
    },
    add: {
      operation: 'addFault',
      examples: [
        'faults add --endpoint groups.create --status 503 --times 3',
        'faults add --endpoint "*" --latency-ms 2000',
      ],
    },
    clear: { operation: 'clearFaults', examples: ['faults clear'] },
  },
}
