import { expect, test } from 'vitest'
import type { News } from '../store.ts'
import { createNewsChannel } from './news-channel.ts'

const news: News = { kind: 'lost' }

test('a listener hears what is told after it started to listen, until it stops', async () => {
  const { tell, listen } = createNewsChannel()
  const heard: string[] = []
  tell(news)
  const stop = listen(() => heard.push('first'))
  await Promise.resolve()
  expect(heard).toEqual([])
  tell(news)
  listen(() => heard.push('second'))
  tell(news)
  expect(heard).toEqual([])
  await Promise.resolve()
  expect(heard).toEqual(['first', 'second', 'first', 'second'])
  stop()
  tell(news)
  await Promise.resolve()
  expect(heard.slice(4)).toEqual(['second'])
})
