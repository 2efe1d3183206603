#include "engine/hardware/fault.h"

#include <gtest/gtest.h>

namespace k3 {
namespace {

std::string error_of(std::string_view text) {
  const auto fault = parse_fault(text);
  return fault ? "no error" : fault.error().text();
}

TEST(ParseFault, ReadsEveryForm) {
  struct Case {
    const char* text;
    FaultTarget target;
    int index;
    int plane;
    double fraction;
  };

  for (const Case& expected : {Case{"gpu3:plane7=0.5", FaultTarget::link, 3, 7, 0.5},
                               Case{"plane4=0", FaultTarget::plane, 4, 0, 0},
                               Case{"nic12=0.25", FaultTarget::nic, 12, 0, 0.25},
                               Case{"leaf0=1", FaultTarget::leaf, 0, 0, 1},
                               Case{"spine1=1e-1", FaultTarget::spine, 1, 0, 0.1},
                               Case{"gpu5.compute=0.8", FaultTarget::compute, 5, 0, 0.8},
                               Case{"gpu9=gone", FaultTarget::gpu, 9, 0, 0},
                               Case{"tray2=gone", FaultTarget::tray, 2, 0, 0}}) {
    SCOPED_TRACE(expected.text);
    const auto fault = parse_fault(expected.text);
    ASSERT_TRUE(fault) << fault.error().text();
    EXPECT_EQ(fault->target, expected.target);
    EXPECT_EQ(fault->index, expected.index);
    EXPECT_EQ(fault->plane, expected.plane);
    EXPECT_EQ(fault->fraction, expected.fraction);
    EXPECT_EQ(fault->text, expected.text);
  }
}

TEST(ParseFault, AllowsBlanksAndWritesNone) {
  const auto fault = parse_fault(" gpu3:plane7 = 0.5 ");
  ASSERT_TRUE(fault) << fault.error().text();
  EXPECT_EQ(fault->plane, 7);
  EXPECT_EQ(fault->text, "gpu3:plane7=0.5");
}

TEST(ParseFault, SaysWhatWouldBeRight) {
  const std::string forms =
      "write gpu3:plane7=0.5, plane4=0, nic3=0.5, leaf0=0, spine1=0.5, gpu5.compute=0.8, gpu9=gone "
      "or tray2=gone";
  EXPECT_EQ(error_of("gpu3"), "`gpu3` is no fault; " + forms);
  EXPECT_EQ(error_of(""), "`` is no fault; " + forms);
  EXPECT_EQ(error_of("plan4=0"), "`plan4=0` names no part of a machine; " + forms);
  EXPECT_EQ(error_of("gpu3=0"), "`gpu3=0` must be gpu3=gone");
  EXPECT_EQ(error_of("tray3=0.5"), "`tray3=0.5` must be tray3=gone");
  EXPECT_EQ(error_of("plane4=gone"),
            "`plane4=gone` must be a fraction from 0 to 1, like plane4=0.5");
  EXPECT_EQ(error_of("gpu5.compute=0"), "`gpu5.compute=0` leaves no speed; write gpu5=gone");
  EXPECT_EQ(error_of("a\nb=1").find('\n'), std::string::npos);
}

TEST(ParseFault, RefusesFractionsOutsideOfZeroToOne) {
  for (const char* value : {"1.5", "-0.1", "nan", "inf", "", "0.5x", "1e999", "0,5"}) {
    SCOPED_TRACE(value);
    EXPECT_EQ(
        error_of(std::string("plane4=") + value),
        "`plane4=" + std::string(value) + "` must be a fraction from 0 to 1, like plane4=0.5");
  }
}

TEST(ParseFault, GivesEveryPartOneName) {
  for (const char* name :
       {"gpu", "gpu-1", "gpu03", "gpu+3", "gpu 3", "gpu3:", "gpu3:plane", "gpu3:gpu4",
        "gpu99999999999", "GPU3", "gpu3:plane1:plane2", ".compute", "plane1.compute"}) {
    SCOPED_TRACE(name);
    EXPECT_NE(error_of(std::string(name) + "=0.5").find("names no part"), std::string::npos);
  }
}

}  // namespace
}  // namespace k3
