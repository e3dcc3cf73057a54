import type { DeliveryProgress } from '../records.ts'

type Field = keyof DeliveryProgress

/** The value of each field of a new delivery, and whether sending the delivery again returns to it. */
const start: {
  readonly [Name in Field]: { readonly value: DeliveryProgress[Name]; readonly isRestarted: boolean }
} = {
  attempts: { value: 0, isRestarted: false },
  failures: { value: 0, isRestarted: true },
  deferrals: { value: 0, isRestarted: true },
  deferredMs: { value: 0, isRestarted: true },
}

/** All fields of a delivery's progress. Stores derive their columns and statements from this list. */
export const progressFields = Object.keys(start) as readonly Field[]

/** The fields that start anew when a delivery is sent again. */
export const restartedFields = progressFields.filter((field) => start[field].isRestarted)

const pick = (fields: readonly Field[], read: (field: Field) => DeliveryProgress[Field]) =>
  Object.fromEntries(fields.map((field) => [field, read(field)]))

/** The progress of a delivery that was never attempted. */
export const newProgress = pick(progressFields, (field) => start[field].value) as DeliveryProgress

/** Returns the progress of a delivery that is sent again. */
export const restartProgress = (progress: DeliveryProgress): DeliveryProgress => ({
  ...progress,
  ...pick(restartedFields, (field) => start[field].value),
})

/** Returns the progress alone, without other fields of a record or a row. */
export const pickProgress = (from: DeliveryProgress) =>
  pick(progressFields, (field) => from[field]) as DeliveryProgress
