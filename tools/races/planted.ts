import type { Mistake } from './gates.ts'
import type { OperationName } from './operations.ts'

/** Mistakes in the SQL, each with operations that expose it in some order. */
export const mistakes: ReadonlyArray<Mistake & { readonly shownBy: readonly OperationName[] }> = [
  {
    name: 'a settlement does not compare the epoch',
    find: '    OR cardinality(find_lost_shards(p_shards, p_epochs)) > 0\n',
    replace: '',
    shownBy: ['settle', 'takeOver'],
  },
  {
    name: 'a settlement does not lock the shard',
    find: `  PERFORM limit_lock_wait(2);
  PERFORM lock_all('shard', p_shards::text[]);
  IF p_health`,
    replace: `  PERFORM limit_lock_wait(2);
  IF p_health`,
    shownBy: ['settle', 'takeOver'],
  },
  {
    name: 'a settlement does not share the lock of its subscription',
    find: `    PERFORM share_all('subscription', touched);
  END IF;`,
    replace: '    NULL;\n  END IF;',
    shownBy: ['settle', 'disable'],
  },
  {
    name: 'publishing does not share the lock of its subscriptions',
    find: "  PERFORM share_all('subscription', recipients::text[]);\n",
    replace: '',
    shownBy: ['publish', 'disable'],
  },
  {
    name: 'publishing does not lock the subject',
    find: "  PERFORM lock_all('subject', ARRAY(SELECT e.organization_id || ' ' || e.subject FROM unnest(published) AS e));\n",
    replace: '',
    shownBy: ['publish', 'publishAlso'],
  },
  {
    name: 'erasing misses what is pending',
    find: `  DELETE FROM wabakit.unfinished_deliveries WHERE ctid = ANY (ARRAY(
    SELECT p.place FROM unnest(p_subscriptions, p_events)`,
    replace: `  DELETE FROM wabakit.unfinished_deliveries WHERE false AND ctid = ANY (ARRAY(
    SELECT p.place FROM unnest(p_subscriptions, p_events)`,
    shownBy: ['erase', 'settle'],
  },
  {
    name: 'erasing does not lock the subscriptions',
    find: `  PERFORM lock_all('subscription', ARRAY(
    SELECT d.subscription::text FROM`,
    replace: `  PERFORM (ARRAY(
    SELECT d.subscription::text FROM`,
    shownBy: ['resend', 'erase'],
  },
  {
    name: 'a removal locks its row before its subscription',
    find: `  WHERE s.organization_id = p_organization_id AND s.id = p_id;
  -- Taken before locking the row`,
    replace: `  WHERE s.organization_id = p_organization_id AND s.id = p_id FOR UPDATE;
  -- Taken before locking the row`,
    shownBy: ['fail', 'remove'],
  },
  {
    name: 'a summary does not lock its call',
    find: 'AND p.call_id = r.call_id OFFSET 0 FOR KEY SHARE',
    replace: 'AND p.call_id = r.call_id OFFSET 0',
    shownBy: ['erase', 'summarize'],
  },
]
