import type { Random } from '../seeded-random.ts'
import type { EffectsSource } from './effects.ts'
import type { Limits } from './limits.ts'

export type Settings = {
  readonly url: URL
  readonly secret: string | undefined
  readonly previousSecret: string | undefined
  /** Headers that authenticate the sender, by name. */
  readonly credentials: Readonly<Record<string, string>>
  readonly effects: EffectsSource | undefined
  readonly limits: Limits
  readonly random: Random
  readonly now: () => number
  readonly ids: { createWebhookId(): string; createSubject(): string }
}
