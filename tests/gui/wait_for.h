#pragma once

#include <QTest>
#include <functional>

namespace k3::test {

/// Lets events be handled until `done`; false after ten seconds.
inline bool wait_for(const std::function<bool()>& done) {
  return QTest::qWaitFor(done, 10000);
}

}  // namespace k3::test
