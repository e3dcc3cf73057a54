<?php // A webhook endpoint for PHP's built-in server. FLAW selects its mistake. Without FLAW, it is correct.
declare(strict_types=1);
define('FLAW', getenv('FLAW'));
ini_set('display_errors', FLAW === 'prints warnings' ? '1' : '0');

function isGenuine(string $id, string $timestamp, string $header, string $body): bool
{
    $tolerance = FLAW === 'ten minutes' ? 600 : 300;
    if ($id === '' || !preg_match('/^\d{1,12}$/D', $timestamp) || abs(time() - (int) $timestamp) > $tolerance) {
        return false;
    }
    foreach ([getenv('SECRET'), getenv('PREVIOUS_SECRET')] as $secret) {
        $key = base64_decode(substr($secret, strlen('whsec_')));
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        foreach (explode(' ', $header) as $given) {
            if (FLAW === 'strncmp' ? strncmp($expected, $given, strlen($given)) === 0 : hash_equals($expected, $given)) {
                return true;
            }
        }
    }
    return false;
}

function handle(string $id, stdClass $event): void
{
    $db = new PDO('sqlite:' . getenv('DATABASE'), options: [PDO::ATTR_TIMEOUT => 5]);
    $db->exec('CREATE TABLE IF NOT EXISTS deliveries (id TEXT PRIMARY KEY)');
    $db->exec('BEGIN IMMEDIATE');
    $insert = $db->prepare('INSERT OR IGNORE INTO deliveries VALUES (?)');
    $insert->execute([$id]);
    if ($insert->rowCount() === 1) {
        FLAW === 'state of the call' ? replaceState($event) : addSummary($event);
    }
    $db->exec('COMMIT');
}

function addSummary(stdClass $event): void
{
    $callId = FLAW === 'prints warnings' ? $event->callId : $event->callId ?? null; // group events have none
    if (($event->event ?? null) === 'CALL_AI_SUMMARY') {
        $line = (fn (string $callId, string $recap) => "$callId " . json_encode($recap) . "\n")($callId, $event->summary->recap);
        file_put_contents(getenv('EFFECTS'), $line, FILE_APPEND);
    }
}

/** Keeps one line for each call, with the recap of the latest event, which has one only if it is a summary. */
function replaceState(stdClass $event): void
{
    $callId = (fn (string $callId) => $callId)($event->callId ?? '');
    $others = array_filter(file(getenv('EFFECTS')), fn ($line) => !str_starts_with($line, "$callId "));
    file_put_contents(getenv('EFFECTS'), [...$others, "$callId " . json_encode($event->summary->recap ?? null) . "\n"]);
}

function receive(): int
{
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        return 405;
    }
    $body = file_get_contents('php://input', length: 1_048_577);
    if (strlen($body) > 1_048_576) {
        return 413;
    }
    [$id, $timestamp, $header] = array_map(fn ($name) => $_SERVER["HTTP_WEBHOOK_$name"] ?? '', ['ID', 'TIMESTAMP', 'SIGNATURE']);
    $isVerified = FLAW !== 'old events' || !str_contains($body, '"GROUP_PARTICIPANT_REMOVED"');
    if ($isVerified && !isGenuine($id, $timestamp, $header, $body)) {
        return 401;
    }
    try {
        handle($id, json_decode($body, flags: JSON_THROW_ON_ERROR));
        return 200;
    } catch (JsonException | TypeError) {
        return 400;
    }
}

http_response_code(receive());
