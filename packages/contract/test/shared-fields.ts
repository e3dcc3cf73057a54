import type * as z from 'zod/mini'
import { type EventName, eventSchemas } from '../src/webhook-event.ts'

// The exported names come from a generated file, so they cannot be used here.
const isEventName = (name: string): name is EventName => Object.hasOwn(eventSchemas, name)
const eventNames = Object.keys(eventSchemas).filter(isEventName)

const toCamelCase = (name: string) =>
  name.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

type SharedFields = {
  /** The functions: each has the lines of its own fields, and the name of the function that has the first ones. */
  readonly functions: { readonly name: string; readonly base: string | undefined; readonly lines: string[] }[]
  /** Each event, and the function that has its fields. */
  readonly events: { readonly event: EventName; readonly name: string }[]
}

/** Formats the fields of every event but `event` itself. Events with the same fields, or the same first ones, share them. */
export const shareFields = (suffix: string, format: (shape: z.core.$ZodShape) => string[]): SharedFields => {
  const known: { readonly name: string; readonly lines: string[] }[] = []
  const functions: SharedFields['functions'] = []
  const events = eventNames.map((event) => {
    const { event: _, ...shape }: z.core.$ZodShape = eventSchemas[event].shape
    const lines = format(shape)
    const base = known.findLast(({ lines: first }) => first.every((line, index) => line === lines[index]))
    if (base?.lines.length === lines.length) return { event, name: base.name }
    const name = `${toCamelCase(event)}${suffix}`
    known.push({ name, lines })
    functions.push({ name, base: base?.name, lines: lines.slice(base?.lines.length ?? 0) })
    return { event, name }
  })
  return { functions, events }
}
