/** Real runners' outputs of one suite, for tests: one test passes, one or two fail, one is skipped. */
export const OUTPUTS = {
  vitest: `
 FAIL  |node| a.test.ts > pages > fails here
AssertionError: expected 1 to be 2 // Object.is equality

 Test Files  1 failed (1)
      Tests  1 failed | 1 passed | 1 skipped (3)
   Start at  05:44:34
   Duration  4.59s`,
  jest: `FAIL j/a.test.js
  ✕ alone
  pages
    ✓ adds (1 ms)
    ✕ fails here (4 ms)
    ○ skipped later

  ● pages › fails here

    expect(received).toBe(expected) // Object.is equality

  ● alone

    x

Test Suites: 1 failed, 1 total
Tests:       2 failed, 1 skipped, 1 passed, 4 total
Snapshots:   0 total
Time:        0.748 s`,
  tap: `TAP version 13
# Subtest: pages
    # Subtest: adds
    ok 1 - adds
    # Subtest: fails here
    not ok 2 - fails here
      ---
      duration_ms: 0.595387
      type: 'test'
      location: '/n/a.test.js:2:41'
      ...
    ok 3 - later # SKIP
    1..3
not ok 1 - pages
  ---
  duration_ms: 4.593395
  type: 'suite'
  ...
not ok 3 - todo # TODO
  ---
  duration_ms: 0.793824
  type: 'test'
  ...
1..2
# tests 4
# suites 1
# pass 1
# fail 1
# cancelled 0
# skipped 1
# todo 1`,
  spec: `▶ pages
  ✔ adds (0.840038ms)
  ✖ fails here (0.433711ms)
  ﹣ later (0.151211ms) # SKIP
✖ pages (3.068699ms)
✖ alone (0.1506ms)
ℹ tests 4
ℹ suites 1
ℹ pass 1
ℹ fail 2
ℹ cancelled 0
ℹ skipped 1
ℹ todo 0

✖ failing tests:

test at n/a.test.js:2:41
✖ fails here (0.433711ms)
  Error: bad
      at TestContext.<anonymous> (/n/a.test.js:2:68)

test at n/a.test.js:2:113
✖ alone (0.1506ms)
  Error: x`,
  mocha: `

  pages
    inner
      ✔ adds
      1) fails here
      - later


  1 passing (7ms)
  1 pending
  1 failing

  1) pages
       inner
         fails here:
     Error: no: bad
      at Context.<anonymous> (m/a.js:1:90)`,
  pytest: `test_a.py .Fs                                                            [100%]

=========================== short test summary info ============================
FAILED test_a.py::test_bad - assert 1 == 2
==================== 1 failed, 1 passed, 1 skipped in 1.62s ====================`,
  unittest: `Fs.
======================================================================
FAIL: test_bad (test_a.T.test_bad)
----------------------------------------------------------------------
AssertionError: 1 != 2

----------------------------------------------------------------------
Ran 3 tests in 0.001s

FAILED (failures=1, skipped=1)`,
  cargo: `running 3 tests
test tests::later ... ignored
test tests::ok ... ok
test tests::bad ... FAILED

failures:
    tests::bad

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s

error: test failed, to rerun pass \`--lib\``,
  go: `--- FAIL: TestBad (0.00s)
    a_test.go:5: bad
FAIL
FAIL\texample.com/a\t0.002s
ok  \texample.com/b\t0.001s
FAIL`,
  verboseGo: `=== RUN   TestOk
--- PASS: TestOk (0.00s)
=== RUN   TestBad
    a_test.go:5: bad
--- FAIL: TestBad (0.00s)
=== RUN   TestLater
--- SKIP: TestLater (0.00s)
FAIL
FAIL\texample.com/a\t0.002s`,
  ava: `
  - [skip] later
  ✔ adds (266ms)
  ✘ [fail]: fails here
  ─

  fails here

  a.test.js:3

   2: test('adds', t => t.is(1, 1));
   3: test('fails here', t => t.is(1, 2));

  Difference (- actual, + expected):

  - 1
  + 2

  › file://a.test.js:3:27

  ─

  1 test failed
  1 test skipped`,
  avaPassed: `
  ✔ adds
  ✔ more
  ─

  2 tests passed`,
  plainTap: `TAP version 13
# adds
ok 1 should be equal
# fails here
not ok 2 should be 2
  ---
    operator: equal
  ...
ok 3 later # SKIP

1..3
# tests 3
# pass  2
# fail  1`,
  tapEnd: `ok 1 - test/good.js # time=8.1ms

# Subtest: test/bad.js
    not ok 1 - inner
      ---
    # failed 1 of 1 tests
not ok 2 - fails here # time=9ms

ok 3 - test/later.js # SKIP

1..3
# failed 1 of 3 tests
# skip: 1
# time=14.5ms
----------|---------
File      | % Stmts`,
  nodeTap: `
 FAIL  a.test.js 1 failed of 3 50ms
 ✗ fails here

  🌈 TEST COMPLETE 🌈

Asserts:  1 failed  1 passed  1 skip  of 3
Suites:   1 failed  0 passed  of 1`,
  rspec: `.F*

Failures:

  1) pages fails here
     Failure/Error: expect(1).to eq 2

Finished in 0.01 seconds (files took 0.1 seconds to load)
3 examples, 1 failure, 1 pending

Failed examples:

rspec ./spec/a_spec.rb:5 # pages fails here`,
  phpunit: `PHPUnit 11.0.0 by Sebastian Bergmann and contributors.

.FS                                                                 3 / 3 (100%)

There was 1 failure:

1) Tests\\PagesTest::testFailsHere
Failed asserting that 1 matches expected 2.

FAILURES!
Tests: 3, Assertions: 2, Failures: 1, Skipped: 1.`,
  maven: `[INFO] Running a.PagesTest
[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1, Time elapsed: 0.05 s <<< FAILURE!
[INFO] Results:
[INFO] 
[ERROR] Failures: 
[ERROR]   PagesTest.failsHere:12 expected: <2> but was: <1>
[INFO] 
[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1`,
  gradle: `> Task :test FAILED

PagesTest > failsHere() FAILED
    org.opentest4j.AssertionFailedError at PagesTest.java:12

3 tests completed, 1 failed, 1 skipped`,
  junitXml: `<?xml version="1.0"?>
<testsuites><testsuite name="pages" tests="3" failures="1">
<testcase classname="pages" name="adds" time="0.1"/>
<testcase classname="pages" name="fails &lt;here&gt;"><failure message="bad">at x</failure></testcase>
<testcase classname="pages" name="later"><skipped/></testcase>
</testsuite></testsuites>`,
  bun: `a.test.ts:
(pass) pages > adds [0.10ms]
(fail) pages > fails here [0.20ms]
(skip) later

 1 pass
 1 skip
 1 fail
Ran 3 tests across 1 files. [8.00ms]`,
} as const;
