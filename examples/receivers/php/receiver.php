<?php // Receives webhooks.
declare(strict_types=1);
ini_set('display_errors', '0');

/** Decodes strictly: a placeholder would become an empty key, with which anyone can sign. */
function readKey(string $secret): string
{
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
    return strlen((string) $key) >= 24 ? $key : throw new RuntimeException('A secret needs at least 24 bytes, in base64.');
}

function checkToken(string $token): string
{
    return strlen($token) >= 16 ? $token : throw new RuntimeException('A token needs at least 16 bytes.');
}

/** Lists the values of the parameter "token", decoded once; "+" stays "+". */
function listParameters(): array
{
    $values = [];
    foreach (explode('&', $_SERVER['QUERY_STRING'] ?? '') as $pair) {
        [$name, $value] = [...explode('=', $pair, 2), ''];
        if (rawurldecode($name) === 'token') {
            $values[] = rawurldecode($value);
        }
    }
    return $values;
}

function hasToken(array $tokens): bool
{
    $header = (string) getenv('WEBHOOK_HEADER'); // if the token is in a header instead of the URL
    $given = $header === '' ? listParameters() : [$_SERVER['HTTP_' . strtoupper(strtr($header, '-', '_'))] ?? ''];
    $scheme = strtolower($header) === 'authorization' ? 'Bearer ' : '';
    $genuine = false;
    foreach ($tokens as $token) {
        $genuine = (count($given) === 1 && hash_equals($scheme . $token, $given[0])) || $genuine;
    }
    return $genuine;
}

function isSigned(string $id, string $timestamp, string $signatures, string $body): bool
{
    $secrets = array_filter([getenv('WABAKIT_WEBHOOK_SECRET'), getenv('WABAKIT_WEBHOOK_SECRET_PREVIOUS')]);
    $keys = array_map(readKey(...), $secrets);
    if ($id === '' || !preg_match('/^\d{1,12}$/D', $timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $genuine = false;
    foreach ($keys as $key) {
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        foreach (explode(' ', $signatures) as $given) {
            $genuine = hash_equals($expected, $given) || $genuine;
        }
    }
    return $genuine;
}

function handle(string $id, stdClass $event): int
{
    $db = new PDO('sqlite:' . getenv('DATABASE'), options: [PDO::ATTR_TIMEOUT => 5]);
    $db->exec('CREATE TABLE IF NOT EXISTS deliveries (id TEXT PRIMARY KEY, received_at INTEGER NOT NULL)');
    $db->exec('CREATE TABLE IF NOT EXISTS summaries (call_id TEXT PRIMARY KEY, recap TEXT NOT NULL)');
    $db->beginTransaction(); // all of it or nothing; without a commit, it is rolled back
    $insert = $db->prepare('INSERT OR IGNORE INTO deliveries VALUES (?, ?)');
    $insert->execute([$id === '' ? null : $id, time()]); // without an id, a repeated summary is recognized by its call
    if ($insert->rowCount() === 1 && ($event->event ?? null) === 'CALL_AI_SUMMARY') {
        $summary = (fn (string $callId, string $recap) => [$callId, $recap])($event->callId, $event->summary->recap);
        $db->prepare('INSERT OR IGNORE INTO summaries VALUES (?, ?)')->execute($summary);
    }
    $db->commit();
    return 200;
}

function receive(string $id, string $timestamp, string $signatures): int
{
    $tokens = array_map(checkToken(...), array_filter([getenv('WEBHOOK_TOKEN'), getenv('WEBHOOK_TOKEN_PREVIOUS')]));
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        return 405;
    }
    if ($tokens && !hasToken($tokens)) {
        return 401;
    }
    $body = file_get_contents('php://input', length: 1_048_577);
    try {
        return match (true) {
            strlen($body) > 1_048_576 => 413,
            !$tokens && !isSigned($id, $timestamp, $signatures, $body) => 401,
            default => handle($id, json_decode($body, flags: JSON_THROW_ON_ERROR)),
        };
    } catch (JsonException | TypeError) {
        return 400; // not an event as documented; any other error is a 500, after which the sender tries again
    }
}

$headers = array_map(fn ($name) => $_SERVER["HTTP_WEBHOOK_$name"] ?? '', ['ID', 'TIMESTAMP', 'SIGNATURE']);
http_response_code(receive(...$headers));
