/** The columns of a {@link DeliveryRecord}: from `d`, a delivery, with its event `e` and its subscription `s`. */
export const deliveryColumns = `
  'dlv_' || d.event || '_' || d.subscription as id, d.organizationId, s.id as subscriptionId, e.id as eventId,
  e.name as eventName, d.subject, coalesce(d.webhookId, e.id) as webhookId, d.status, d.dueAt, d.attempts, d.failures,
  d.createdAt, d.finishedAt`
