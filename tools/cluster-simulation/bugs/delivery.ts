import type { PlantedBug } from './bug.ts'

/** Bugs in health events, figures, the retry schedule and attempts. */
export const deliveryBugs: readonly PlantedBug[] = [
  {
    name: 'health: a subscription is reported on every failure',
    file: 'core/src/storage/decide-health.ts',
    find: 'isEnabled && !before.isReported && isFailing',
    replace: 'isEnabled && isFailing',
  },
  {
    name: 'health: a subscription is reported too early',
    file: 'core/src/storage/decide-health.ts',
    find: 'failingMs >= healthLimits.reportAfterMs',
    replace: 'failingMs >= healthLimits.reportAfterMs / 3',
  },
  {
    name: 'health: the event for a disabled subscription is not published',
    file: 'core/src/memory-store/delivery-queue.ts',
    find: 'for (const event of published) publish(event)',
    replace: 'if (disabled === null) for (const event of published) publish(event)',
  },
  {
    name: 'figures: counts that may have been written are written again',
    file: 'core/src/figures/figures.ts',
    find: 'if (error instanceof StorageUnavailableError) restore(taken)',
    replace: 'if (error instanceof Error) restore(taken)',
  },
  {
    name: 'figures: counts are written only once',
    file: 'core/src/figures/figures.ts',
    find: 'if (timer !== undefined) schedule()',
    replace: 'if (timer === undefined) schedule()',
  },
  {
    name: 'the first retry comes too early',
    file: 'core/src/delivery/schedule.ts',
    find: '  5 * second,',
    replace: '  3 * second,',
  },
  {
    name: 'pauses have too much jitter',
    file: 'core/src/delivery/schedule.ts',
    find: 'const jitter = 0.1',
    replace: 'const jitter = 0.3',
  },
  {
    name: 'each attempt gets a new webhook-id',
    file: 'core/src/delivery/attempt.ts',
    find: 'id: delivery.webhookId, payload',
    replace: 'id: delivery.id, payload',
  },
]
