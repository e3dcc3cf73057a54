import { expect, test } from 'vitest'
import type { QueueChange } from '../store.ts'
import { createChangeChannel } from './change-channel.ts'

const change: QueueChange = { kind: 'lost' }

test('a listener hears what is emitted after it started to listen, until it stops', async () => {
  const { emit, listen } = createChangeChannel()
  const heard: string[] = []
  emit(change)
  const stop = listen(() => heard.push('first'))
  await Promise.resolve()
  expect(heard).toEqual([])
  emit(change)
  listen(() => heard.push('second'))
  emit(change)
  expect(heard).toEqual([])
  await Promise.resolve()
  expect(heard).toEqual(['first', 'second', 'first', 'second'])
  stop()
  emit(change)
  await Promise.resolve()
  expect(heard.slice(4)).toEqual(['second'])
})
