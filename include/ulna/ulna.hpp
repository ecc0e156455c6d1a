// What most programs need of Ulna, in one include. Identification (ulna/identify), simulation (ulna/sim), generated code and equations (ulna/emit),
// formulations and their counts (ulna/formulation), programs (ulna/expr, ulna/trace), verification (ulna/verify) and studies (ulna/study) have headers of their
// own.
#pragma once

#include <ulna/check/check.hpp>          // laws of mechanics that a model must obey
#include <ulna/dynamics/on_plan.hpp>     // free functions on a Plan and a Workspace, for scalars of your own
#include <ulna/model/model.hpp>  // positions of a robot whose base is free: integrate, difference, other conventions
#include <ulna/plan/plan.hpp>            // Plan: a model as the kernels want it
#include <ulna/robot/analysis.hpp>       // Analysis: what is expensive about a robot, made once
#include <ulna/robot/dynamics.hpp>       // Dynamics: the robot's dynamics as machine code
#include <ulna/source/load.hpp>          // load: files and built-in robots
#include <ulna/version.hpp>              // the version's numbers
#include <ulna/views.hpp>                // VectorView, MatrixView, kNone
