import type { PlantedBug } from './bug.ts'

const folder = 'server/src/stores/postgres'

/** Bugs in the batches of PostgreSQL, and in the takeover of claims. */
export const postgresBugs: readonly PlantedBug[] = [
  {
    name: 'batches: everybody gets the first outcome',
    file: `${folder}/batches.ts`,
    find: 'outcomes[index] as Outcome',
    replace: 'outcomes[0] as Outcome',
  },
  {
    name: 'batches: a batch with an unknown outcome is repeated',
    file: `${folder}/batches.ts`,
    find: 'batch.length > 1 && (isLocked(error) || !isLost(error))',
    replace: 'batch.length > 0 && isLost(error) && !isLocked(error)',
  },
  {
    name: 'batches: two changes of a record replace each other',
    file: `${folder}/batches.ts`,
    find: 'batch.size >= maxItems || batch.has(key)',
    replace: 'batch.size >= maxItems',
  },
  {
    name: 'batches: ended batches are counted as running',
    file: `${folder}/batches.ts`,
    find: `        running--
`,
    replace: '',
  },
  {
    name: 'batches: what arrived meanwhile is not written',
    file: `${folder}/batches.ts`,
    find: `        running--
        fill()`,
    replace: '        running--',
  },
  {
    name: 'changes: outcomes belong to the next change',
    file: `${folder}/changes.ts`,
    find: 'done.has(index + 1)',
    replace: 'done.has(index + 2)',
  },
  {
    name: 'changes: nobody is woken',
    file: `${folder}/changes.ts`,
    find: `        if (result?.due) channel.announce()
`,
    replace: '',
  },
  {
    name: 'queue: claims after the first of a subscription are dropped',
    file: `${folder}/queue.ts`,
    find: 'const subscription = subscriptions.get(getKey(row))',
    replace: 'const subscription = row.subscription === null ? undefined : subscriptions.get(getKey(row))',
  },
  {
    name: 'takeover: a lost worker does not learn of it',
    file: `${folder}/worker.ts`,
    find: `          number = undefined
          lost()`,
    replace: '          number = undefined',
  },
  {
    name: 'takeover: a lost worker is not registered again',
    file: `${folder}/notifications.ts`,
    find: '    while (!signal.aborted) {',
    replace: '    for (let once = true; once && !signal.aborted; once = false) {',
  },
  {
    name: 'takeover: a lost connection is not reported',
    file: `${folder}/notifications.ts`,
    find: `      gone.abort()
`,
    replace: '',
  },
  {
    name: 'takeover: workers stop checking after a failure',
    file: `${folder}/worker.ts`,
    find: `        // The session that holds the lock may still be connected. Its own connection reports when it is not.
        waitMs = checkMs`,
    replace: '        return',
  },
  {
    name: 'takeover: workers check only once',
    file: `${folder}/worker.ts`,
    find: `        waitMs = await check(own)
      } catch`,
    replace: `        waitMs = await check(own)
        return
      } catch`,
  },
  {
    name: 'notifications: those of other processes are ignored',
    file: `${folder}/due-channel.ts`,
    find: 'if (payload !== sender) wakeOwn()',
    replace: 'if (payload === sender) wakeOwn()',
  },
  {
    name: 'notifications: only the first is sent',
    file: `${folder}/due-channel.ts`,
    find: `    isNotifying = false
  }`,
    replace: '  }',
  },
]
